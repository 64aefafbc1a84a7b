#include "place.hpp"

#include <algorithm>
#include <string>

namespace backoff_actor::soak {

namespace {

// As the names of senders are.
std::string name_of(std::string text) {
  std::ranges::replace_if(
    text, [](char c) { return (c < 'a' || c > 'z') && (c < '0' || c > '9'); }, '_');
  return text;
}

// Enters a dead letter into the account.
void bury(Account& account, const DeadLetter& letter) {
  account.dead_lettered(letter.message.get_as<std::uint64_t>(0));
}

} // namespace

SenderOptions options_of(const SenderKind& kind, Shared& shared) {
  auto options = kind.options;
  options.name = name_of(kind.name);
  options.observed_by = shared.observatory;
  options.on_event = [&shared](const Event& event) { shared.happenings.count(event); };
  options.on_dead_letter = [&shared](const DeadLetter& letter) { bury(shared.account, letter); };
  return options;
}

} // namespace backoff_actor::soak
