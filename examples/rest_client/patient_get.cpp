#include "patient_get.hpp"

#include "backoff_actor/retry/retry.hpp"

#include <chrono>
#include <iostream>

namespace rest_client {

using backoff_actor::Assessment;
using backoff_actor::Attempt;
using backoff_actor::Limits;
using backoff_actor::Memorystore;
using backoff_actor::RetryNotice;
using backoff_actor::RetryResult;

namespace {

// Which failures are worth another attempt.
struct IsRetried {
  Assessment operator()(const Response& response) const {
    if (response.status >= 200 && response.status <= 299)
      return backoff_actor::success;
    if (!Memorystore::is_retried(response.status))
      return backoff_actor::not_retryable;
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto wish = backoff_actor::parse_retry_after(response.retry_after, now);
    return wish ? backoff_actor::retryable_after(*wish) : backoff_actor::retryable;
  }

  bool operator()(const std::exception& error) const {
    const auto* no_answer = dynamic_cast<const NoAnswer*>(&error);
    return no_answer && !no_answer->is_final();
  }
};

// Instead of "was refused" it says how.
std::string in_words(const RetryNotice& notice) {
  auto result = to_string(notice);
  if (const auto* response = notice.value.get_if<Response>())
    result.replace(result.find("was refused"), 11, "got HTTP " + std::to_string(response->status));
  return result;
}

} // namespace

RetryResult<Response> patient_get(const std::string& url, const Memorystore& backoff,
                                  const Limits& limits) {
  const auto announce = [&](const RetryNotice& notice) {
    std::cerr << "GET " << url << ": " << in_words(notice) << std::endl;
  };
  return backoff_actor::retry(
    backoff, limits, IsRetried{},
    [&](const Attempt& attempt) { return http_get(url, attempt.time_allowed); },
    {.on_retry = announce});
}

std::string to_string(const std::string& url, const RetryResult<Response>& result) {
  const auto status = result.value ? "HTTP " + std::to_string(result.value->status) + ", " : "";
  return "GET " + url + ": " + status + to_string(result);
}

} // namespace rest_client
