#include "backoff_actor/caf/messages/dead_letter_record.hpp"

#include <any>

namespace backoff_actor {

const DeadLetter* dead_letter_of(const event::DeadLetterHookFailed& event) {
  return std::any_cast<DeadLetter>(&event.letter);
}

std::string to_string(const DeadLetter& letter) {
  return "delivery " + std::to_string(letter.id) + " " + std::string{to_string(letter.reason)}
         + " after " + to_string(letter.age) + ", " + std::to_string(letter.attempts)
         + (letter.attempts == 1 ? " failed attempt" : " failed attempts")
         + (letter.worker == 0 ? "" : ", last with worker " + std::to_string(letter.worker))
         + (letter.cause.empty() ? "" : ": " + letter.cause);
}

} // namespace backoff_actor
