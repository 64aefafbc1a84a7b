#pragma once

#include <backoff_actor/net/tls/tls.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <string>
#include <vector>

namespace backoff_actor::test {

/// A folder that is removed with all that is in it.
class CertificateFolder {
public:
  CertificateFolder();
  CertificateFolder(const CertificateFolder&) = delete;
  CertificateFolder& operator=(const CertificateFolder&) = delete;
  ~CertificateFolder();

  std::string path_of(const std::string& name) const { return (folder_ / name).string(); }

private:
  std::filesystem::path folder_;
};

/// A certificate to make.
struct CertificateWish {
  std::string subject{"node"};                       ///< its common name
  std::vector<std::string> names{"127.0.0.1"};       ///< names of hosts, and numeric addresses
  std::chrono::seconds from{std::chrono::hours{-1}}; ///< valid from, from now on
  std::chrono::seconds until{std::chrono::hours{1}}; ///< valid until, from now on
  std::string purpose{};                             ///< extended key usage; empty: any
};

/// Signs certificates.
class Authority {
public:
  explicit Authority(const std::string& name);

  /// Writes its own certificate.
  void write(const std::string& path) const;

  /// Makes a certificate with a new key, and writes both.
  void issue(const CertificateWish& wish, const std::string& certificate_path,
             const std::string& key_path) const;

private:
  using Key = std::shared_ptr<EVP_PKEY>;
  using Certificate = std::shared_ptr<X509>;

  static Key new_key();
  Certificate make(const CertificateWish& wish, const Key& key, bool is_authority) const;

  Key key_;
  Certificate certificate_; // none while that is made
};

/// Makes `NAME.pem` and `NAME.key` in the folder, and returns what a node with them has. It trusts
/// those whom `authority.pem` there has signed.
Tls issue_to_node(const CertificateFolder& folder, const std::string& name,
                  const CertificateWish& wish, const Authority& signer);

/// The SHA-256 of a certificate's public key in base64, by which browsers name it.
std::string hash_of_key(const std::string& certificate_path);

} // namespace backoff_actor::test
