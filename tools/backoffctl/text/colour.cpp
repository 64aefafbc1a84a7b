#include "backoffctl/text/colour.hpp"

#include <cstdlib>
#include <regex>
#include <string_view>
#include <unistd.h>

namespace backoffctl {

namespace {

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
  static const std::regex bad{"not recovered"};
  static const std::regex good{"(^|\n)(recovered)"}; // at the beginning of a line
  return is_on
           ? std::regex_replace(std::regex_replace(text, bad, coloured("$&", Colour::red, true)),
                                good, "$1" + coloured("$2", Colour::green, true))
           : text;
}

} // namespace backoffctl
