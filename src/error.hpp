// The few kinds of failure the program tells apart. Library code throws them; only `cli` prints
// them and turns them into exit codes. A message reads "[operation] what was expected, what came,
// what to do".
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace opencd {

/// Base of all failures that the program reports to its user.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Wrong words on the command line or in a configuration (exit code 2).
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A file that is missing, broken or not what was expected (exit code 3).
class FormatError : public Error {
 public:
  using Error::Error;
};

/// Numbers that are not finite where they must be (exit code 4).
class NonFiniteError : public Error {
 public:
  using Error::Error;
};

/// A device that is missing, failed or out of memory (exit code 5).
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// Tensors or views whose sizes do not fit each other: a mistake in the calling code.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// Throws `Kind` with a formatted message: `fail<ShapeError>("[gemm] expected {} rows, got {}", 3,
/// 4)`.
template <class Kind, class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw Kind(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace opencd
