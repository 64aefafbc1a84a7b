#include "backoff_actor/core/text/internal/number_text.hpp"

#include <array>

namespace backoff_actor::detail {

namespace {

// A double has at most 309 digits before the point, and these many zeros behind it at most.
using Buffer = std::array<char, 512>;

template <class... How>
std::string text_of(double value, How... how) {
  Buffer buffer;
  return {buffer.data(),
          std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, how...).ptr};
}

} // namespace

std::string number_text(double value) { return text_of(value); }

std::string number_text(double value, std::chars_format format) { return text_of(value, format); }

std::string number_text(double value, std::chars_format format, int digits) {
  return text_of(value, format, digits);
}

} // namespace backoff_actor::detail
