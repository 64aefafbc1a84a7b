#include "http_get.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <climits>
#include <cstddef>
#include <memory>
#include <string_view>
#include <system_error>

namespace rest_client {

namespace {

constexpr std::string_view retry_after = "retry-after:";

std::size_t append_body(char* data, std::size_t size, std::size_t count, void* response) {
  static_cast<Response*>(response)->body.append(data, size * count);
  return size * count;
}

bool is_same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

std::size_t look_at_header(char* data, std::size_t size, std::size_t count, void* response) {
  std::string_view line{data, size * count};
  auto& wish = static_cast<Response*>(response)->retry_after;
  if (line.starts_with("HTTP/")) // of a redirection's target, say: what came before is void
    wish.clear();
  if (line.size() > retry_after.size()
      && std::equal(retry_after.begin(), retry_after.end(), line.begin(), is_same_letter)) {
    line.remove_prefix(retry_after.size());
    wish = line.substr(0, line.find_last_not_of("\r\n") + 1);
  }
  return size * count;
}

bool is_final(CURLcode code) {
  switch (code) {
  case CURLE_URL_MALFORMAT:
  case CURLE_UNSUPPORTED_PROTOCOL:
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_TOO_MANY_REDIRECTS:
    return true;
  default:
    return false;
  }
}

// Rounded up, since libcurl takes 0 for no limit.
long in_milliseconds(backoff_actor::Duration span) {
  const auto result = std::chrono::ceil<std::chrono::milliseconds>(span).count();
  return static_cast<long>(std::clamp<std::chrono::milliseconds::rep>(result, 1, LONG_MAX));
}

std::string reason_of(CURL* curl, CURLcode code, const char* details) {
  long system_error = 0;
  curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &system_error);
  if (code == CURLE_COULDNT_CONNECT && system_error != 0)
    return std::generic_category().message(static_cast<int>(system_error));
  return *details != '\0' ? details : curl_easy_strerror(code);
}

} // namespace

bool is_http_url(const std::string& text) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url{curl_url(), &curl_url_cleanup};
  return (text.starts_with("http://") || text.starts_with("https://"))
         && curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) == CURLUE_OK;
}

Response http_get(const std::string& url, std::optional<backoff_actor::Duration> time_allowed) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> owner{curl_easy_init(),
                                                                  &curl_easy_cleanup};
  const auto curl = owner.get();
  if (!curl)
    throw NoAnswer{"curl_easy_init failed", true};
  Response response;
  char details[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &append_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &look_at_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &response);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, details);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  if (time_allowed)
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, in_milliseconds(*time_allowed));

  const auto code = curl_easy_perform(curl);
  if (code != CURLE_OK)
    throw NoAnswer{reason_of(curl, code, details), is_final(code)};
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  response.status = static_cast<int>(status);
  return response;
}

} // namespace rest_client
