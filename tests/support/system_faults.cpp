#include "support/system_faults.hpp"

#include <sys/types.h>

#include <algorithm>
#include <cerrno>

namespace opencd::test {

namespace {
struct State {
  bool active = false;
  int calls_left = 0;
  int error = 0;
  unsigned long most_written = ~0ul;
  const char* failed_call = "";
};
State state;

bool fails(const char* call) {
  if (!state.active || --state.calls_left != 0) return false;
  state.failed_call = call;
  errno = state.error;
  return true;
}
}  // namespace

Faults::Faults(int nth, int error, unsigned long most_written) {
  state = {true, nth, error, most_written, ""};
}
Faults::~Faults() { state = {}; }
bool Faults::fired() const { return *state.failed_call != '\0'; }
const char* Faults::failed_call() const { return state.failed_call; }

}  // namespace opencd::test

// The linker sends calls of f to __wrap_f, and calls of __real_f to the system.
extern "C" {
int __real_fallocate(int file, int mode, off_t offset, off_t length);
ssize_t __real_write(int file, const void* data, size_t size);
int __real_fsync(int file);
int __real_close(int file);
int __real_rename(const char* from, const char* to);

int __wrap_fallocate(int file, int mode, off_t offset, off_t length) {
  return opencd::test::fails("fallocate") ? -1 : __real_fallocate(file, mode, offset, length);
}
ssize_t __wrap_write(int file, const void* data, size_t size) {
  if (opencd::test::fails("write")) return -1;
  return __real_write(file, data, std::min<size_t>(size, opencd::test::state.most_written));
}
int __wrap_fsync(int file) { return opencd::test::fails("fsync") ? -1 : __real_fsync(file); }
int __wrap_close(int file) {
  const int result = __real_close(file);  // Linux closes even when it reports a failure
  return opencd::test::fails("close") ? -1 : result;
}
int __wrap_rename(const char* from, const char* to) {
  return opencd::test::fails("rename") ? -1 : __real_rename(from, to);
}
}
