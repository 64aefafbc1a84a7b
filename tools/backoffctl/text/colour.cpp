#include "backoffctl/text/colour.hpp"

#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace backoffctl {

namespace {

constexpr std::string_view did_not_recover = "not recovered";
constexpr std::string_view did_recover = "recovered";

bool is_set(const char* variable, std::string_view value) {
  const auto* const found = std::getenv(variable);
  return found != nullptr && found == value;
}

bool has_value(const char* variable) {
  const auto* const found = std::getenv(variable);
  return found != nullptr && *found != '\0';
}

} // namespace

bool may_be_coloured(int descriptor) {
  return isatty(descriptor) == 1 && !has_value("NO_COLOR") && !is_set("TERM", "dumb");
}

std::string coloured(const std::string& text, Colour colour, bool is_on) {
  return is_on ? (colour == Colour::red ? "\x1b[31m" : "\x1b[32m") + text + "\x1b[0m" : text;
}

std::string coloured_verdicts(const std::string& text, bool is_on) {
  if (!is_on)
    return text;
  std::string result;
  const std::string_view all = text;
  for (std::size_t at = 0; at < all.size();) {
    const auto rest = all.substr(at);
    const auto is_new_line = at == 0 || all[at - 1] == '\n';
    const auto length = rest.starts_with(did_not_recover)              ? did_not_recover.size()
                        : is_new_line && rest.starts_with(did_recover) ? did_recover.size()
                                                                       : 0;
    if (length == 0) {
      result += all[at++];
      continue;
    }
    result += coloured(std::string{rest.substr(0, length)},
                       length == did_recover.size() ? Colour::green : Colour::red, true);
    at += length;
  }
  return result;
}

} // namespace backoffctl
