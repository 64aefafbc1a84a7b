#include "secrets.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace backoffctl {

namespace {

// A password in a text.
struct Secret {
  std::size_t begin;
  std::size_t end; // behind its last character
};

// Where a URL ends, and where a value ends that has no quotes.
struct Ends {
  std::string_view of_url;
  std::string_view of_value;
};

// In a text that somebody has written around them.
constexpr Ends ends_in_text{" \t\n'\"", "& \t\n'\"#"};

// In an argument, which is a URL from beginning to end, or libpq's pairs.
Ends ends_in_argument(std::string_view argument) {
  return {"", argument.starts_with("postgres") ? "&#" : " \t\n\v\f\r"};
}

// A password may hold what should be escaped there: `/`, `:` and `@`. So it reaches to the last
// `@` of the URL. The slashes may be missing.
void find_behind_users(std::string_view text, std::string_view ends, std::vector<Secret>& found) {
  for (std::size_t at = 0; at < text.size();) {
    const auto url = text.substr(at, text.substr(at).find_first_of(ends));
    const auto slashes = url.find("://");
    const auto colon = url.find(':', slashes == url.npos ? 0 : slashes + 3);
    const auto last_at = url.rfind('@');
    if (colon != url.npos && last_at != url.npos && colon < last_at)
      found.push_back({at + colon + 1, at + last_at});
    at += url.size() + 1;
  }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; }

// A value may be in quotes, and a backslash makes the next character a part of it.
std::size_t end_of_value(std::string_view text, std::size_t begin, std::string_view unquoted_ends) {
  const auto is_quoted = begin < text.size() && text[begin] == '\'';
  const auto ends = is_quoted ? "'" : unquoted_ends;
  for (auto at = begin + (is_quoted ? 1 : 0); at < text.size(); ++at)
    if (text[at] == '\\')
      ++at;
    else if (ends.find(text[at]) != ends.npos)
      return at + (is_quoted ? 1 : 0);
  return text.size();
}

void find_values(std::string_view text, std::string_view ends, std::vector<Secret>& found) {
  constexpr std::string_view mark = "password";
  constexpr std::string_view blanks = " \t\n";
  std::string plain{text};
  std::transform(plain.begin(), plain.end(), plain.begin(), lower);
  for (auto at = plain.find(mark); at != plain.npos; at = plain.find(mark, at + 1)) {
    const auto sign = plain.find_first_not_of(blanks, at + mark.size());
    if (sign == plain.npos || plain[sign] != '=')
      continue;
    const auto begin = plain.find_first_not_of(blanks, sign + 1);
    if (begin != plain.npos)
      found.push_back({begin, end_of_value(text, begin, ends)});
  }
}

std::vector<Secret> secrets_in(std::string_view text, const Ends& ends) {
  std::vector<Secret> result;
  find_behind_users(text, ends.of_url, result);
  find_values(text, ends.of_value, result);
  std::sort(result.begin(), result.end(),
            [](const Secret& a, const Secret& b) { return a.begin < b.begin; });
  return result;
}

std::string without(std::string_view text, const std::vector<Secret>& secrets) {
  std::string result;
  std::size_t done = 0;
  for (const auto& secret : secrets) {
    if (secret.begin < done) // inside of the one before
      continue;
    result.append(text.substr(done, secret.begin - done)).append("***");
    done = secret.end;
  }
  return result.append(text.substr(done));
}

} // namespace

std::string without_secrets(std::string_view text) {
  return without(text, secrets_in(text, ends_in_text));
}

void hide_secrets(char* argument) {
  for (const auto& secret : secrets_in(argument, ends_in_argument(argument)))
    std::fill(argument + secret.begin, argument + secret.end, '*');
}

Complaints::Complaints(const std::vector<std::string>& arguments) {
  const auto add = [&](const std::string& argument) {
    const auto secrets = secrets_in(argument, ends_in_argument(argument));
    if (secrets.empty())
      return;
    const auto quoted = backoff_actor::detail::json_string(argument);
    const auto shown = backoff_actor::detail::one_line(without(argument, secrets));
    for (const auto& written :
         {argument, backoff_actor::detail::one_line(argument), quoted.substr(1, quoted.size() - 2)})
      secrets_.push_back({written, shown});
  };
  for (const auto& argument : arguments) {
    add(argument);
    if (argument.starts_with('-') && argument.find('=') != argument.npos)
      add(argument.substr(argument.find('=') + 1)); // of an option
  }
}

std::string Complaints::text_of(std::string text) const {
  for (const auto& [written, shown] : secrets_)
    for (auto at = text.find(written); at != text.npos; at = text.find(written, at + shown.size()))
      text.replace(at, written.size(), shown);
  return without_secrets(text);
}

} // namespace backoffctl
