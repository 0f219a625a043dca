// Runs a program as a user's shell would and keeps what it said.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace opencd::test {

struct ProcessResult {
  int exit_code = 0;
  std::string out;  // stdout
  std::string err;  // stderr
};

struct ProcessOptions {
  std::map<std::string, std::string> environment;  // replaces all variables but PATH and HOME
  std::string folder = ".";                        // to run in
  int signal = 0;                                  // to send to it ...
  double after_seconds = 0.0;                      // ... after a while, if it still runs
  /// In place of a while: as soon as this is true. It is asked from another thread, often. A program for which it never
  /// comes true is killed after some minutes.
  std::function<bool()> when;
};

/// Runs `program` with `arguments`. Throws if it cannot be started.
ProcessResult run_process(const std::string& program,
                          const std::vector<std::string>& arguments,
                          const ProcessOptions& options = {});

}  // namespace opencd::test
