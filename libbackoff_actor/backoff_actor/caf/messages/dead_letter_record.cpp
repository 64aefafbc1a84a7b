#include "backoff_actor/caf/messages/dead_letter_record.hpp"

#include "backoff_actor/caf/messages/internal/message_words.hpp"

#include <caf/deep_to_string.hpp>
#include <caf/message.hpp>

#include <any>
#include <string_view>

namespace backoff_actor {

const DeadLetter* dead_letter_of(const event::DeadLetterHookFailed& event) {
  return std::any_cast<DeadLetter>(&event.letter);
}

std::string detail::message_words(const caf::message& message) {
  constexpr std::string_view name = "message"; // CAF 1.x puts it in front
  if (message.empty())
    return {};
  try {
    auto text = caf::deep_to_string(message);
    return text.starts_with(name) ? text.substr(name.size()) : text;
  } catch (...) {
    return "(it cannot be shown)";
  }
}

std::string detail::message_words(const caf::message& message, std::size_t most) {
  auto words = message_words(message);
  if (words.size() > most)
    words.replace(most, words.npos, "...");
  return words;
}

std::string detail::letter_text(const DeadLetter& letter, std::size_t most) {
  const auto words = message_words(letter.message, most);
  return "delivery " + std::to_string(letter.id) + " " + words + (words.empty() ? "" : " ")
         + std::string{to_string(letter.reason)} + " after " + to_string(letter.age) + ", "
         + std::to_string(letter.attempts)
         + (letter.attempts == 1 ? " failed attempt" : " failed attempts")
         + (letter.worker == 0 ? "" : ", last with worker " + std::to_string(letter.worker))
         + (letter.cause.empty() ? "" : ": " + letter.cause);
}

std::string to_string(const DeadLetter& letter) {
  constexpr std::size_t most_of_message = 200;
  return detail::letter_text(letter, most_of_message);
}

} // namespace backoff_actor
