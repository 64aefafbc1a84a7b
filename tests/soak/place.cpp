#include "place.hpp"

namespace backoff_actor::soak {

void bury(Account& account, const DeadLetter& letter) {
  account.dead_lettered(letter.message.get_as<std::uint64_t>(0));
}

SenderOptions options_of(const SenderKind& kind, Shared& shared, const caf::actor& letter_box) {
  auto options = kind.options;
  options.on_event = [&shared](const Event& event) { shared.happenings.count(event); };
  options.dead_letters = letter_box;
  if (!letter_box)
    options.on_dead_letter = [&shared](const DeadLetter& letter) { bury(shared.account, letter); };
  return options;
}

} // namespace backoff_actor::soak
