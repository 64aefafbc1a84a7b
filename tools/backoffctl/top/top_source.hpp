#pragma once

#include "top.hpp"

#include "backoffctl/live/http_caller.hpp"

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/net/tls/tls.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// Reads the address of a program as the user writes it: `http://127.0.0.1:9464`,
/// `localhost:9464`, or the page `/status` itself. Nothing if it is none, or not of `http` or
/// `https`.
std::optional<HttpUrl> parse_status_url(const std::string& given);

/// What came of a call for the status.
struct TopAnswer {
  std::string json{};    ///< the page
  TopStatus status{};    ///< what it says
  std::string trouble{}; ///< why there is none, as a sentence for the user; else empty
};

/// Says what came of a call, and reads the page.
TopAnswer answer_of(const HttpUrl& url, const CallResult& result);

/// Returns the host of a URL as resolvers and certificates spell it: an address of IPv6 is without
/// its brackets.
std::string host_of(const HttpUrl& url);

/// Asks a program for its status. If its host has several addresses, those are tried in turn.
///
/// @thread that of the loop
class TopSource {
public:
  using Done = std::function<void(const TopAnswer&)>;

  /// Looks the host up. `make_tls` is for a URL of `https`.
  ///
  /// @errors throws `std::runtime_error` if there is no such host.
  TopSource(EventLoop& loop, const HttpUrl& url, const MakeTls& make_tls = {});

  /// Asks. `done` is called once, later, from the loop. Only one call at a time.
  void ask(Done done);

private:
  void ask_from(std::size_t tried);

  HttpUrl url_;
  std::vector<std::unique_ptr<HttpCaller>> callers_; // one for each address
  std::size_t next_ = 0;                             // whose address worked last
  Done done_;
};

/// Reads the files, and returns what makes connections by TLS to a host. The server's certificate
/// must be signed by one of the authorities, and made for the host: a name or a numeric address.
/// Nothing, and problems, if a file cannot be used.
MakeTls make_top_tls(const std::string& host, const backoff_actor::Tls& files,
                     backoff_actor::Problems& problems);

} // namespace backoffctl
