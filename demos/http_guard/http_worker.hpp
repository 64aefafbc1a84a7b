#pragma once

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/result.hpp>
#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <string>

namespace http_guard {

/// Puts jobs to an HTTP service: takes an id, and answers what the service answered.
///
/// - The service says when to come back, as with a 429 or a 503 that has a Retry-After: the answer
///   is an error that says so too.
/// - It refuses the job for good, as with a 404: the answer is an error that is final.
/// - Anything else but a 2xx, and no answer, is an exception that says what happened, and the end
///   of this actor.
///
/// There is no line about trying again.
///
/// It blocks while it waits, so spawn it detached.
class HttpWorker : public caf::event_based_actor {
public:
  static constexpr std::chrono::milliseconds timeout{250};

  /// @param base_url for example `http://127.0.0.1:8080`
  HttpWorker(caf::actor_config& config, std::string base_url);

  caf::behavior make_behavior() override;

private:
  caf::result<std::string> put(const std::string& job_id);

  std::string base_url_;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_;
};

} // namespace http_guard
