// SHA-256 as lower-case hexadecimal digits, the form that `sha256sum` prints and checks.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace opencd::files {

/// Digest of bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256();

  void update(std::span<const std::byte> bytes);

  /// The digest of all bytes so far; nothing may follow.
  std::string finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view text);
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace opencd::files
