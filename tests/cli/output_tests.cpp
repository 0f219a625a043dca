#include "cli/output.hpp"

#include "error.hpp"
#include "files/input_file.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <spdlog/spdlog.h>

namespace opencd::test {

TEST_SUITE_BEGIN("cli/output");

TEST_CASE("the log file gets every line from info on, quiet or not, and is appended to") {
  const TemporaryFolder folder;
  const auto file = folder.put("log.txt", "before\n");
  cli::start_logging("error", true);
  cli::log_to_file(file);
  spdlog::info("epoch {}", 3);
  spdlog::debug("detail");
  cli::start_logging("debug", true);
  cli::log_to_file(file);
  spdlog::debug("more detail");
  cli::start_logging("info", false);
  const std::string text = files::read_text_file(file, 1 << 20);
  CHECK(text.starts_with("before\n"));
  CHECK_CONTAINS(text, " info epoch 3\n");
  CHECK_FALSE(contains(text, "debug detail"));
  CHECK_CONTAINS(text, " debug more detail\n");
}

TEST_CASE("a log file that cannot be written is named") {
  cli::start_logging("info", true);
  CHECK_CONTAINS(message_of<FormatError>([] { cli::log_to_file("/proc/no/log.txt"); }),
                 "/proc/no/log.txt");
}

TEST_SUITE_END();

}  // namespace opencd::test
