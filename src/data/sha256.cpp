#include "data/sha256.hpp"

#include "error.hpp"

#include <openssl/evp.h>

namespace opencd::data {

namespace {
void check(int status) {
  if (status != 1) throw Error("[sha256] the crypto library refused to work");
}
}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  check(context_ ? EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) : 0);
}

void Sha256::add(std::span<const std::uint8_t> bytes) {
  check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

void Sha256::add_number(std::uint64_t number) {
  std::uint8_t bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  add(bytes);
}

void Sha256::add_text(std::string_view text) {
  add_number(text.size());
  check(EVP_DigestUpdate(context_.get(), text.data(), text.size()));
}

std::array<std::uint8_t, 32> Sha256::digest() {
  std::array<std::uint8_t, 32> value{};
  check(EVP_DigestFinal_ex(context_.get(), value.data(), nullptr));
  return value;
}

std::string Sha256::text() {
  std::string result = "sha256:";
  for (const std::uint8_t byte : digest()) result += fmt::format("{:02x}", byte);
  return result;
}

std::array<std::uint8_t, 32> sha256(std::span<const std::uint8_t> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.digest();
}

}  // namespace opencd::data
