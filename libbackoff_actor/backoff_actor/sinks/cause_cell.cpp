#include "backoff_actor/sinks/internal/cause_cell.hpp"

#include <algorithm>
#include <cstring>

namespace backoff_actor::detail {

namespace {

constexpr auto bytes_per_word = sizeof(std::uint64_t);

// How often a reader looks again while the words change.
constexpr int most_looks = 8;

// As much of a text as there is room for, with no part of a character at its end.
std::string_view beginning_of(std::string_view text) {
  auto size = std::min(text.size(), CauseWords::most_text);
  const auto is_inside = [&] {
    return size != text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80;
  };
  while (size != 0 && is_inside())
    --size;
  return text.substr(0, size);
}

std::size_t words_of(std::size_t size) { return (size + bytes_per_word - 1) / bytes_per_word; }

} // namespace

void CauseCell::write(std::string_view text, Instant now) {
  text = beginning_of(text);
  const auto version = get(CauseWords::version);
  set(CauseWords::version, version + 1);
  release(CauseWords::at, word_of(now));
  release(CauseWords::text_size, text.size());
  for (std::size_t i = 0; i != words_of(text.size()); ++i) {
    const auto part = text.substr(i * bytes_per_word, bytes_per_word);
    std::uint64_t word = 0;
    std::memcpy(&word, part.data(), part.size());
    release(CauseWords::text + i, word);
  }
  release(CauseWords::version, version + 2);
}

CauseCell::Note CauseCell::read() const {
  for (int i = 0; i != most_looks; ++i) {
    const auto version = acquire(CauseWords::version);
    if (version == 0)
      return {};
    Note result{{}, instant_of(acquire(CauseWords::at))};
    const auto size = std::min<std::size_t>(acquire(CauseWords::text_size), CauseWords::most_text);
    result.text.resize(words_of(size) * bytes_per_word);
    for (std::size_t word = 0; word != words_of(size); ++word) {
      const auto bytes = acquire(CauseWords::text + word);
      std::memcpy(result.text.data() + word * bytes_per_word, &bytes, bytes_per_word);
    }
    result.text.resize(size);
    if (version % 2 == 0 && get(CauseWords::version) == version)
      return result;
  }
  return {};
}

} // namespace backoff_actor::detail
