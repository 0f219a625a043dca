// The main function of every test binary. Tests that need a device ask `test_device()` for it;
// OPENCD_TEST_DEVICE says which (cpu by default). A run that selects no test case fails: a filter
// with a typing mistake must not look like success. A failed check wins over skipped cases.
#define DOCTEST_CONFIG_IMPLEMENT
#include "support/main.hpp"

#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace opencd::test {

namespace {

using CaseKey = std::pair<std::string, unsigned>;  // file and line: names may occur twice

std::vector<std::function<void()>>& cleanup() {
  static std::vector<std::function<void()>> actions;
  return actions;
}

unsigned cases_selected = 0;
const doctest::TestCaseData* running_case = nullptr;
std::set<CaseKey> skipped_cases;

/// Counts the test cases that the filters let through, and knows which one is running.
struct CaseCounter : doctest::IReporter {
  explicit CaseCounter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    cases_selected = stats.numTestCasesPassingFilters;
  }
  void test_case_start(const doctest::TestCaseData& data) override { running_case = &data; }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override { running_case = nullptr; }
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("case_counter", 1, CaseCounter);

}  // namespace

void at_end(std::function<void()> action) { cleanup().push_back(std::move(action)); }

void note_skipped_case(const std::string& reason) {
  skipped_cases.insert({running_case->m_file.c_str(), running_case->m_line});
  // scripts/list_skipped finds this line, at the beginning of a line, in CTest's log.
  std::cout << "SKIPPED: " << running_case->m_name << ": " << reason << std::endl;
}

}  // namespace opencd::test

int main(int argc, char** argv) {
  using namespace opencd::test;
  doctest::Context context(argc, argv);
  const int result = context.run();
  for (auto action = cleanup().rbegin(); action != cleanup().rend(); ++action) (*action)();
  if (context.shouldExit() || result != 0) return result;
  if (cases_selected == 0) {
    std::cerr << "no test case was selected\n";
    return 1;
  }
  return skipped_cases.size() == cases_selected ? kSkippedExitCode : 0;
}
