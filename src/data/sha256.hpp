// SHA-256, so that data sets, splits and caches can be told apart and checked. Numbers and texts
// are added with their length, which keeps "ab","c" and "a","bc" different.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace opencd::data {

class Sha256 {
 public:
  Sha256();

  void add(std::span<const std::uint8_t> bytes);
  /// As eight little-endian bytes.
  void add_number(std::uint64_t number);
  void add_text(std::string_view text);

  /// Ends the hash: no more may be added.
  std::array<std::uint8_t, 32> digest();
  /// The same as "sha256:" and 64 hexadecimal digits.
  std::string text();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::array<std::uint8_t, 32> sha256(std::span<const std::uint8_t> bytes);

}  // namespace opencd::data
