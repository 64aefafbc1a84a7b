#include "backoff_actor/web/internal/live_page.hpp"

#include <random>
#include <utility>

namespace backoff_actor::web {

std::string live_page(std::string_view nonce, bool can_act) {
  const std::pair<std::string_view, std::string_view> values[] = {
    {"@nonce@", nonce}, {"@can_act@", can_act ? "yes" : "no"}};
  std::string result;
  result.reserve(live_page_text.size() + 64);
  for (auto rest = live_page_text; !rest.empty();) {
    const auto begin = rest.find('@');
    result += rest.substr(0, begin);
    rest.remove_prefix(begin == rest.npos ? rest.size() : begin);
    if (rest.empty())
      break;
    std::string_view value = "@";
    std::size_t size = 1;
    for (const auto& [name, its_value] : values)
      if (rest.starts_with(name)) {
        value = its_value;
        size = name.size();
      }
    result += value;
    rest.remove_prefix(size);
  }
  return result;
}

std::string policy_of_live_page(std::string_view nonce) {
  std::string own{"'nonce-"};
  own.append(nonce).append("'");
  return "default-src 'none'; script-src " + own + "; style-src " + own
         + "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'none'";
}

std::string new_nonce() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::random_device device;
  std::string result;
  for (int i = 0; i != 4; ++i) {
    auto bits = device();
    for (int digit = 0; digit != 8; ++digit, bits >>= 4U)
      result += digits[bits & 15U];
  }
  return result;
}

} // namespace backoff_actor::web
