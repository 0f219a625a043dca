// Owner of a POSIX file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace opencd::files {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() {
    if (is_open()) ::close(number_);
  }

  bool is_open() const { return number_ >= 0; }
  int get() const { return number_; }

  /// Closes now, for those who must know whether it worked: some file systems report a lost write
  /// only here. The descriptor is gone either way, as on Linux.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_ = -1;
};

}  // namespace opencd::files
