#include "backoff_actor/backoff/http/http_answer.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/problems.hpp"

#include <algorithm>
#include <iterator>

namespace backoff_actor {

namespace {

struct HttpMeaning {
  HttpOutcome outcome;
  HttpSubject speaks_of;
};

HttpMeaning http_meaning_of(int status) {
  switch (status) {
  case 401: // Unauthorized
  case 407: // Proxy Authentication Required
  case 408: // Request Timeout
  case 421: // Misdirected Request: another connection may do
  case 425: // Too Early
  case 429: // Too Many Requests
  case 502: // Bad Gateway
  case 503: // Service Unavailable
  case 504: // Gateway Timeout
  case 511: // Network Authentication Required
    return {HttpOutcome::later, HttpSubject::service};
  case 403: // Forbidden
    return {HttpOutcome::later, HttpSubject::either};
  case 423: // Locked
    return {HttpOutcome::later, HttpSubject::message};
  case 501: // Not Implemented
  case 505: // HTTP Version Not Supported
  case 506: // Variant Also Negotiates
  case 510: // Not Extended
    return {HttpOutcome::refused, HttpSubject::service};
  default:
    break;
  }
  switch (status / 100) {
  case 2:
    return {HttpOutcome::done, HttpSubject::either};
  case 3:
    return {HttpOutcome::refused, HttpSubject::either};
  case 4:
    return {HttpOutcome::refused, HttpSubject::message};
  default: // a number of no class counts as 5xx (RFC 9110, 15)
    return {HttpOutcome::later, HttpSubject::either};
  }
}

bool is_blank_of_body(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Returns at least the first `characters` of a text, with one blank for each run of blanks.
std::string beginning_of_body(std::string_view text, std::size_t characters) {
  constexpr std::size_t longest_character = 4;
  std::string result;
  for (const auto c : text) {
    if (result.size() > longest_character * characters)
      break;
    if (!is_blank_of_body(c))
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  return result.substr(0, result.find_last_not_of(' ') + 1);
}

std::string cut_to(std::string line, std::size_t characters) {
  if (detail::count_characters(line) <= characters)
    return line;
  constexpr std::string_view end = "...";
  auto left = characters - end.size();
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  const auto cut_at =
    std::find_if(line.begin(), line.end(), [&](char c) { return is_first_byte(c) && left-- == 0; });
  line.erase(cut_at, line.end());
  return line.append(end);
}

std::string http_text_of(int status, std::string_view body) {
  const auto what = status == 0 ? "no answer" : "HTTP " + std::to_string(status);
  const auto line = detail::one_line(beginning_of_body(body, most_characters_of_http_text));
  return line.empty() ? what : cut_to(what + ": " + line, most_characters_of_http_text);
}

} // namespace

Assessment HttpAnswer::assessment() const {
  switch (outcome) {
  case HttpOutcome::done:
    return success;
  case HttpOutcome::later:
    return {Assessment::Kind::retryable, wait};
  case HttpOutcome::refused:
    break;
  }
  return not_retryable;
}

HttpAnswer answer_of_http(int status, std::optional<Duration> retry_after, std::string_view body) {
  if (status != 0 && (status < 100 || status > 999)) {
    Problems problems;
    problems.add("status", std::to_string(status), "100..999, or 0 if there was no answer");
    problems.raise_if_any();
  }
  const auto [outcome, speaks_of] = http_meaning_of(status);
  HttpAnswer answer{status, outcome, speaks_of, std::nullopt,
                    http_text_of(status, outcome == HttpOutcome::done ? std::string_view{} : body)};
  if (retry_after && status >= 400 && status <= 599)
    answer.outcome = HttpOutcome::later;
  if (retry_after && answer.outcome == HttpOutcome::later)
    answer.wait = std::max(*retry_after, Duration::zero());
  return answer;
}

bool HttpRequest::may_reach_twice() const {
  constexpr std::string_view idempotent[] = {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"};
  return may_repeat || std::ranges::find(idempotent, method) != std::end(idempotent);
}

HttpAnswer answer_of_http(const HttpRequest& request, int status,
                          std::optional<Duration> retry_after, std::string_view body) {
  auto answer = answer_of_http(status, retry_after, body);
  // With these two the service has not begun, and with a Retry-After it says itself what to do.
  const auto was_not_begun = answer.wait || status == 503 || status == 511;
  const auto is_unknown = (status < 200 || status > 499) && !was_not_begun;
  if (answer.outcome == HttpOutcome::later && is_unknown && !request.may_reach_twice())
    answer.outcome = HttpOutcome::refused;
  return answer;
}

} // namespace backoff_actor
