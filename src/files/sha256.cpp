#include "files/sha256.hpp"

#include "error.hpp"
#include "files/input_file.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <vector>

namespace opencd::files {

namespace {
/// OpenSSL's functions return 1 when they worked.
void require(int result) {
  if (result != 1) fail<Error>("[sha256] OpenSSL could not compute a digest");
}
}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ ? EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) : 0);
}

void Sha256::update(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string Sha256::finish() {
  std::array<unsigned char, 32> digest = {};
  require(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr));
  std::string digits;
  for (const unsigned char byte : digest) digits += fmt::format("{:02x}", byte);
  return digits;
}

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

std::string sha256_of_file(const std::filesystem::path& path) {
  constexpr std::uint64_t kBlock = 1u << 20u;
  const InputFile file(path);
  std::vector<std::byte> block(std::min(kBlock, file.size()));
  Sha256 hash;
  for (std::uint64_t at = 0; at < file.size(); at += block.size()) {
    const auto part =
        std::span(block).first(std::min<std::uint64_t>(block.size(), file.size() - at));
    file.read_at(at, part);
    hash.update(part);
  }
  return hash.finish();
}

}  // namespace opencd::files
