#include "common/certificates.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
#include <stdexcept>

namespace backoff_actor::test {

namespace {

void require(bool holds, const char* what) {
  if (!holds)
    throw std::runtime_error(std::string{"OpenSSL cannot "} + what);
}

void set_name(X509_NAME* name, const std::string& text) {
  require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1,
                                     0)
            == 1,
          "set a name");
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  auto* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  require(extension != nullptr, "make an extension");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

template <class Write>
void write_file(const std::string& path, Write write) {
  auto* const file = std::fopen(path.c_str(), "w");
  require(file != nullptr && write(file) == 1, "write a file");
  std::fclose(file);
}

} // namespace

CertificateFolder::CertificateFolder() {
  auto name = (std::filesystem::temp_directory_path() / "certificates-XXXXXX").string();
  require(mkdtemp(name.data()) != nullptr, "make a folder");
  folder_ = name;
}

CertificateFolder::~CertificateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Authority::Authority(const std::string& name) : key_(new_key()) {
  certificate_ = make({.subject = name, .names = {}}, key_, true);
}

Authority::Key Authority::new_key() {
  Key result{EVP_EC_gen("P-256"), EVP_PKEY_free};
  require(result != nullptr, "make a key");
  return result;
}

Authority::Certificate Authority::make(const CertificateWish& wish, const Key& key,
                                       bool is_authority) const {
  static std::atomic<long> last = 0;
  Certificate result{X509_new(), X509_free};
  auto* const made = result.get();
  X509_set_version(made, 2); // the third
  ASN1_INTEGER_set(X509_get_serialNumber(made), ++last);
  X509_gmtime_adj(X509_getm_notBefore(made), wish.from.count());
  X509_gmtime_adj(X509_getm_notAfter(made), wish.until.count());
  X509_set_pubkey(made, key.get());
  set_name(X509_get_subject_name(made), wish.subject);
  auto* const issuer = is_authority ? made : certificate_.get();
  X509_set_issuer_name(made, X509_get_subject_name(issuer));
  add_extension(made, issuer, NID_basic_constraints,
                is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  std::string names;
  for (const auto& x : wish.names) {
    const auto is_address = x.find_first_not_of("0123456789.") == x.npos || x.find(':') != x.npos;
    names.append(names.empty() ? "" : ",").append(is_address ? "IP:" : "DNS:").append(x);
  }
  if (!names.empty())
    add_extension(made, issuer, NID_subject_alt_name, names);
  if (!wish.purpose.empty())
    add_extension(made, issuer, NID_ext_key_usage, wish.purpose);
  require(X509_sign(made, key_.get(), EVP_sha256()) != 0, "sign");
  return result;
}

void Authority::write(const std::string& path) const {
  write_file(path, [&](std::FILE* file) { return PEM_write_X509(file, certificate_.get()); });
}

void Authority::issue(const CertificateWish& wish, const std::string& certificate_path,
                      const std::string& key_path) const {
  const auto key = new_key();
  const auto certificate = make(wish, key, false);
  write_file(certificate_path,
             [&](std::FILE* file) { return PEM_write_X509(file, certificate.get()); });
  write_file(key_path, [&](std::FILE* file) {
    return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

Tls issue_to_node(const CertificateFolder& folder, const std::string& name,
                  const CertificateWish& wish, const Authority& signer) {
  Tls result{folder.path_of(name + ".pem"), folder.path_of(name + ".key"),
             folder.path_of("authority.pem")};
  signer.issue(wish, result.certificate, result.key);
  return result;
}

std::string hash_of_key(const std::string& certificate_path) {
  auto* const file = std::fopen(certificate_path.c_str(), "r");
  require(file != nullptr, "open a file");
  const std::unique_ptr<X509, decltype(&X509_free)> certificate{
    PEM_read_X509(file, nullptr, nullptr, nullptr), X509_free};
  std::fclose(file);
  require(certificate != nullptr, "read a certificate");
  unsigned char* key = nullptr;
  const auto size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate.get()), &key);
  require(size > 0, "write a key");
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(key, static_cast<std::size_t>(size), hash);
  OPENSSL_free(key);
  unsigned char text[4 * sizeof hash]; // more than it takes
  const auto length = EVP_EncodeBlock(text, hash, sizeof hash);
  return {text, text + length};
}

} // namespace backoff_actor::test
