// The main function of every test binary. Tests that need a device ask `test_device()` for it;
// OPENCD_TEST_DEVICE says which (cpu by default). A run that selects no test case fails: a filter
// with a typing mistake must not look like success.
#define DOCTEST_CONFIG_IMPLEMENT
#include "support/main.hpp"

#include <doctest/doctest.h>

#include <iostream>
#include <vector>

namespace opencd::test {

namespace {
std::vector<std::function<void()>>& cleanup() {
  static std::vector<std::function<void()>> actions;
  return actions;
}
unsigned cases_selected = 0;
}  // namespace

void at_end(std::function<void()> action) { cleanup().push_back(std::move(action)); }

/// Counts the test cases that the filters let through.
struct CaseCounter : doctest::IReporter {
  explicit CaseCounter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    cases_selected = stats.numTestCasesPassingFilters;
  }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("case_counter", 1, CaseCounter);

}  // namespace opencd::test

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  int result = context.run();
  auto& cleanup = opencd::test::cleanup();
  for (auto action = cleanup.rbegin(); action != cleanup.rend(); ++action) (*action)();
  if (context.shouldExit()) return result;
  if (opencd::test::cases_selected == 0) {
    std::cerr << "no test case was selected\n";
    result = 1;
  }
  return result;
}
