#include "secrets.hpp"

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

constexpr std::string_view ends_of_url = " \t\n'\"";

// A password may hold what should be escaped there: `/`, `:` and `@`. So it reaches to the last
// `@` of the URL.
void find_behind_users(std::string_view text, std::vector<Secret>& found) {
  constexpr std::string_view mark = "://";
  for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    const auto begin = at + mark.size();
    const auto url = text.substr(begin, text.substr(begin).find_first_of(ends_of_url));
    const auto colon = url.find(':');
    const auto last_at = url.rfind('@');
    if (colon != url.npos && last_at != url.npos && colon < last_at)
      found.push_back({begin + colon + 1, begin + last_at});
  }
}

void find_values(std::string_view text, std::vector<Secret>& found) {
  constexpr std::string_view mark = "password=";
  for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    const auto begin = at + mark.size();
    const auto is_quoted = begin < text.size() && text[begin] == '\'';
    auto end = is_quoted ? text.find('\'', begin + 1) : text.find_first_of("& \t\n'\"#", begin);
    if (end == text.npos)
      end = text.size();
    else if (is_quoted)
      ++end;
    found.push_back({begin, end});
  }
}

std::vector<Secret> secrets_in(std::string_view text) {
  std::vector<Secret> result;
  find_behind_users(text, result);
  find_values(text, result);
  std::sort(result.begin(), result.end(),
            [](const Secret& a, const Secret& b) { return a.begin < b.begin; });
  return result;
}

} // namespace

std::string without_secrets(std::string_view text) {
  std::string result;
  std::size_t done = 0;
  for (const auto& secret : secrets_in(text)) {
    if (secret.begin < done) // inside of the one before
      continue;
    result.append(text.substr(done, secret.begin - done)).append("***");
    done = secret.end;
  }
  return result.append(text.substr(done));
}

void hide_secrets(char* argument) {
  for (const auto& secret : secrets_in(argument))
    std::fill(argument + secret.begin, argument + secret.end, '*');
}

} // namespace backoffctl
