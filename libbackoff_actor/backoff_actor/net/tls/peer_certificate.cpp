#include "backoff_actor/net/tls/internal/peer_certificate.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <memory>
#include <openssl/x509v3.h>
#include <string_view>

namespace backoff_actor::net {

namespace {

// The names and addresses for which a certificate was made, separated by commas.
std::string names_of(X509* certificate) {
  std::string result;
  const auto add = [&](std::string_view name) {
    result.append(result.empty() ? "" : ", ").append(name);
  };
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names{
    static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
    GENERAL_NAMES_free};
  for (int i = 0; names && i != sk_GENERAL_NAME_num(names.get()); ++i) {
    const auto* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) {
      add({reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
           static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName))});
    } else if (name->type == GEN_IPADD) {
      char text[INET6_ADDRSTRLEN] = "?";
      const auto is_v4 = ASN1_STRING_length(name->d.iPAddress) == 4;
      if (is_v4 || ASN1_STRING_length(name->d.iPAddress) == 16)
        inet_ntop(is_v4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(name->d.iPAddress), text,
                  sizeof text);
      add(text);
    }
  }
  return result.empty() ? "none" : result;
}

bool is_made_for(X509* certificate, const std::string& name) {
  return X509_check_ip_asc(certificate, name.c_str(), 0) == 1
         || X509_check_host(certificate, name.data(), name.size(),
                            X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, nullptr)
              == 1;
}

std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const auto& x : names)
    result.append(result.empty() ? "" : ", ").append(x);
  return result;
}

std::string time_text(const ASN1_TIME* time) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> out{BIO_new(BIO_s_mem()), BIO_free};
  if (!out || time == nullptr || ASN1_TIME_print(out.get(), time) != 1)
    return "an unknown time";
  char* text = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

// What OpenSSL has found.
std::string verify_problem(X509_STORE_CTX* store, const WantedCertificate& wanted) {
  auto* const certificate = X509_STORE_CTX_get_current_cert(store);
  const auto is_own = X509_STORE_CTX_get_error_depth(store) == 0;
  const std::string whose = is_own ? "its certificate" : "its authority's certificate";
  const auto error = X509_STORE_CTX_get_error(store);
  switch (error) {
  case X509_V_ERR_CERT_HAS_EXPIRED:
    return whose + " has expired: it was valid until " + time_text(X509_get0_notAfter(certificate));
  case X509_V_ERR_CERT_NOT_YET_VALID:
    return whose + " is not valid before " + time_text(X509_get0_notBefore(certificate))
           + ": compare the clocks of both machines";
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
  case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    return "its certificate was not signed by " + wanted.signer + ", but by "
           + text_of(X509_get_issuer_name(certificate));
  case X509_V_ERR_INVALID_PURPOSE:
    return whose + " was not made for " + wanted.purpose;
  default:
    return whose + " is not right: " + X509_verify_cert_error_string(error);
  }
}

} // namespace

std::string text_of(const X509_NAME* name) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> out{BIO_new(BIO_s_mem()), BIO_free};
  if (!out || name == nullptr || X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_ONELINE) < 0)
    return {};
  char* text = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string certificate_problem(bool is_right, X509_STORE_CTX* store,
                                const WantedCertificate& wanted) {
  if (!is_right)
    return verify_problem(store, wanted);
  if (X509_STORE_CTX_get_error_depth(store) != 0 || wanted.names.empty())
    return {};
  auto* const certificate = X509_STORE_CTX_get_current_cert(store);
  if (std::ranges::any_of(wanted.names, [&](const auto& x) { return is_made_for(certificate, x); }))
    return {};
  X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
  return "its certificate was made for " + names_of(certificate) + ", not for "
         + joined(wanted.names);
}

} // namespace backoff_actor::net
