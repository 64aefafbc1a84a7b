#include "backoff_actor/web/internal/http_message.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

namespace backoff_actor::web {

namespace {

// Takes what is before a mark, and the mark, off a text.
std::string_view take_until(std::string_view& text, std::string_view mark) {
  const auto result = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(text.size(), result.size() + mark.size()));
  return result;
}

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size()
         && std::ranges::equal(text.substr(0, beginning.size()), beginning, [](char a, char b) {
              return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
            });
}

// Whether everybody sees the same lines. For some programs a line feed alone ends one, or a zero
// ends a value: a proxy in front of this server could read another request than this server.
bool has_whole_lines(std::string_view head) {
  constexpr std::string_view marks{"\r\n\0", 3};
  for (auto at = head.find_first_of(marks); at != head.npos; at = head.find_first_of(marks, at + 2))
    if (!head.substr(at).starts_with("\r\n"))
      return false;
  return true;
}

bool is_method(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::string without_escapes(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const auto digits = text.substr(i + 1, 2);
    const auto* const end = digits.data() + digits.size();
    unsigned byte = 0;
    if (text[i] == '%' && digits.size() == 2
        && std::from_chars(digits.data(), end, byte, 16).ptr == end) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

std::string_view reason_of(int status) {
  constexpr std::pair<int, std::string_view> reasons[] = {
    {200, "OK"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {409, "Conflict"},
    {414, "URI Too Long"},
    {431, "Request Header Fields Too Large"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
  };
  for (const auto& [number, reason] : reasons)
    if (number == status)
      return reason;
  return "Internal Server Error";
}

} // namespace

std::optional<WebRequest> WebRequest::read(std::string_view head) {
  if (!has_whole_lines(head))
    return std::nullopt;
  WebRequest result;
  auto version = take_until(head, "\r\n");
  result.lines = head;
  result.method = take_until(version, " ");
  auto target = take_until(version, " ");
  if (!is_method(result.method) || target.empty()
      || (version != "HTTP/1.1" && version != "HTTP/1.0"))
    return std::nullopt;
  target = target.substr(0, target.find('#'));
  const auto scheme = begins_with(target, "http://")    ? std::size_t{7}
                      : begins_with(target, "https://") ? std::size_t{8}
                                                        : target.size();
  result.authority = target.substr(scheme, target.substr(scheme).find_first_of("/?"));
  if (!result.authority.empty())
    target.remove_prefix(scheme + result.authority.size());
  result.path = take_until(target, "?");
  result.query = target;
  if (!result.authority.empty() && result.path.empty())
    result.path = "/";
  return result;
}

std::string WebRequest::header(std::string_view name) const {
  std::string result;
  for (auto rest = lines; !rest.empty();) {
    auto value = take_until(rest, "\r\n");
    if (!begins_with(value, name) || !value.substr(name.size()).starts_with(':'))
      continue;
    value = trimmed(value.substr(name.size() + 1));
    if (!result.empty() && !value.empty())
      result += '\n';
    result += value;
  }
  return result;
}

std::string WebRequest::host() const {
  auto result = header("host");
  const auto has_several = result.find('\n') != result.npos;
  return authority.empty() || has_several ? result : std::string{authority};
}

std::string WebRequest::parameter(std::string_view name) const {
  for (auto rest = query; !rest.empty();) {
    auto value = take_until(rest, "&");
    if (without_escapes(take_until(value, "=")) == name)
      return without_escapes(value);
  }
  return {};
}

std::string head_of(const WebAnswer& answer) {
  std::string result = "HTTP/1.1 " + std::to_string(answer.status) + ' ';
  result.append(reason_of(answer.status))
    .append("\r\nAccept-Ranges: none\r\nCache-Control: no-store\r\nConnection: close\r\n"
            "X-Content-Type-Options: nosniff\r\nContent-Type: ")
    .append(answer.type)
    .append("\r\n");
  if (answer.status == 401)
    result += "WWW-Authenticate: Bearer\r\n";
  result += answer.headers;
  return result;
}

std::string to_http(const WebAnswer& answer, bool has_body) {
  auto result = head_of(answer);
  result.append("Content-Length: ").append(std::to_string(answer.text.size())).append("\r\n\r\n");
  if (has_body)
    result += answer.text;
  return result;
}

} // namespace backoff_actor::web
