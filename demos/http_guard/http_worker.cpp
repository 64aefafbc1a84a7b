#include "http_worker.hpp"

#include "backoff_actor/backoff/http/http_answer.hpp"
#include "backoff_actor/backoff/retry_after_header.hpp"
#include "backoff_actor/caf/messages/retry_after.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace http_guard {

namespace {

std::size_t append(char* data, std::size_t size, std::size_t count, void* text) {
  static_cast<std::string*>(text)->append(data, size * count);
  return size * count;
}

std::string reason_of(CURL* curl, CURLcode code, const char* details) {
  if (code == CURLE_OPERATION_TIMEDOUT)
    return curl_easy_strerror(code)
           + (" after " + std::to_string(HttpWorker::timeout.count()) + "ms");
  long system_error = 0;
  curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &system_error);
  if (code == CURLE_COULDNT_CONNECT && system_error != 0)
    return std::generic_category().message(static_cast<int>(system_error));
  return *details != '\0' ? details : curl_easy_strerror(code);
}

// The time that the service asked for, if it did and said something sensible.
std::optional<backoff_actor::Duration> wish_of(CURL* curl) {
  curl_header* header = nullptr;
  if (curl_easy_header(curl, "Retry-After", 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
    return std::nullopt;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return backoff_actor::parse_retry_after(header->value, now);
}

} // namespace

HttpWorker::HttpWorker(caf::actor_config& config, std::string base_url)
  : caf::event_based_actor(config), base_url_(std::move(base_url)),
    curl_(curl_easy_init(), &curl_easy_cleanup) {
  if (!curl_)
    throw std::runtime_error("curl_easy_init failed");
}

caf::behavior HttpWorker::make_behavior() {
  return {[this](const std::string& job_id) { return put(job_id); }};
}

caf::result<std::string> HttpWorker::put(const std::string& job_id) {
  const auto url = base_url_ + "/jobs/" + job_id;
  const auto body = "job " + job_id;
  std::string answer;
  char details[CURL_ERROR_SIZE] = "";
  using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;
  const auto key = "Idempotency-Key: " + job_id;
  const Headers headers{curl_slist_append(nullptr, key.c_str()), &curl_slist_free_all};

  const auto curl = curl_.get();
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, "PUT");
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &append);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, details);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  // On a connection that was used before, libcurl repeats a request by itself when it is reset.
  curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);

  const auto code = curl_easy_perform(curl);
  if (code != CURLE_OK)
    throw std::runtime_error("PUT " + url + ": " + reason_of(curl, code, details));
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  auto said = backoff_actor::answer_of_http(static_cast<int>(status), wish_of(curl), answer);
  if (said.is_done())
    return answer;
  said.text = "PUT " + url + ": " + said.text;
  if (said.outcome == backoff_actor::HttpOutcome::later && !said.wait)
    throw std::runtime_error(said.text);
  return backoff_actor::error_of_http(said);
}

} // namespace http_guard
