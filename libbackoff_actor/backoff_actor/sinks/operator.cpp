#include "backoff_actor/sinks/internal/operator.hpp"

#include "backoff_actor/core/internal/enum_names.hpp"
#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/internal/thrown.hpp"
#include "backoff_actor/process/internal/error_stream.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace backoff_actor {

namespace {

using Result = OperatorOutcome::Result;

// How many dead letters one action is done to, at most.
constexpr std::size_t most_letters = 1000;

bool matches(const KeptLetter& letter, const std::string& find) {
  const auto has = [&](std::string_view text) { return text.find(find) != text.npos; };
  return has(letter.cause) || has(letter.message) || has(letter.key)
         || has(to_string(letter.reason));
}

std::string_view words_for(Result result) {
  switch (result) {
  case Result::done:
    return "done";
  case Result::nobody:
    return "there is nobody of that name";
  case Result::refused:
    return "refused";
  case Result::no_answer:
    break;
  }
  return "no answer";
}

// Calls `visit` with each letter that matches, the newest first. They are read in parts: all of
// them may be more than the memory holds. Returns how many gave way to newer ones.
template <class Visit>
std::uint64_t visit_matching(detail::Operable& sender, const std::string& find, Visit visit) {
  constexpr std::size_t at_once = 100;
  for (auto below = detail::Operable::above_all;;) {
    auto part = sender.letters(below, at_once);
    for (auto& letter : part.letters) {
      below = letter.id;
      if (matches(letter, find))
        visit(std::move(letter));
    }
    if (part.letters.size() < at_once)
      return part.dropped;
  }
}

// The oldest first.
std::vector<std::uint64_t> chosen(detail::Operable& sender, const LetterChoice& choice) {
  if (choice.id)
    return sender.letter(*choice.id) ? std::vector{*choice.id} : std::vector<std::uint64_t>{};
  std::vector<std::uint64_t> ids;
  visit_matching(sender, choice.find, [&](const KeptLetter& letter) { ids.push_back(letter.id); });
  std::ranges::reverse(ids);
  ids.resize(std::min(ids.size(), most_letters));
  return ids;
}

KeptLetters letters_of(detail::Operable& sender, const LetterChoice& choice, std::size_t at_most) {
  KeptLetters result;
  if (choice.id) {
    auto letter = sender.letter(*choice.id);
    if (letter && at_most != 0)
      result.letters.push_back(std::move(*letter));
    result.left_out = letter && at_most == 0 ? 1 : 0;
    result.dropped = sender.letters(0, 0).dropped;
  } else if (choice.find.empty()) {
    auto found = sender.letters(detail::Operable::above_all, at_most);
    const auto count = std::max<std::uint64_t>(found.count, found.letters.size());
    result = {std::move(found.letters), 0, found.dropped};
    result.left_out = count - result.letters.size();
  } else {
    result.dropped = visit_matching(sender, choice.find, [&](KeptLetter letter) {
      if (result.letters.size() == at_most)
        ++result.left_out;
      else
        result.letters.push_back(std::move(letter));
    });
  }
  return result;
}

// Does something to the chosen letters of a sender, if there is such a sender.
template <class Do>
OperatorOutcome do_to_letters(const Observatory& observatory, const ActorName& name,
                              const LetterChoice& choice, Do what) try {
  const auto sender = observatory.state()->operable(name);
  if (!sender)
    return {Result::nobody, 0, {}};
  const auto ids = chosen(*sender, choice);
  return ids.empty() ? OperatorOutcome{Result::nobody, 0, "there is no such letter"}
                     : what(*sender, ids);
} catch (...) {
  return {Result::refused, 0, detail::thrown_text(std::current_exception())};
}

} // namespace

std::string_view to_string(OperatorAction action) {
  constexpr auto names = detail::enum_names<OperatorAction>(
    {"pause", "resume", "retry_now", "drain", "resubmit", "remove", "close_guard", "look"});
  return names.of(action);
}

std::string to_string(const OperatorEvent& event) {
  std::string result = event.who + ": " + std::string{to_string(event.action)} + " " + event.whom;
  result += event.is_done ? ": done" : ": not done";
  if (event.action == OperatorAction::resubmit || event.action == OperatorAction::remove
      || event.action == OperatorAction::look)
    result += ", " + std::to_string(event.letters) + " letters";
  if (!event.text.empty())
    result += ": " + event.text;
  return detail::one_line(result);
}

Operator::Operator(Observatory observatory, std::function<void(const OperatorEvent&)> on_action)
  : observatory_(std::move(observatory)), on_action_(std::move(on_action)) {
  observatory_.state()->keep_letters();
}

OperatorOutcome Operator::tell(const std::string& who, OperatorAction action,
                               const std::string& whom, OperatorOutcome outcome) const {
  OperatorEvent event{who,         action, whom, outcome.result == Result::done, outcome.letters,
                      outcome.text};
  if (event.text.empty() && !event.is_done)
    event.text = words_for(outcome.result);
  outcome.text = event.text;
  if (on_action_)
    on_action_(event);
  else
    detail::tell_error_stream("backoff_actor: operator " + to_string(event));
  return outcome;
}

OperatorOutcome Operator::act(const std::string& who, OperatorAction action,
                              const ActorName& sender) const {
  const auto one = observatory_.state()->operable(sender);
  return tell(who, action, to_string(sender),
              one ? one->act(action) : OperatorOutcome{Result::nobody, 0, {}});
}

OperatorOutcome Operator::close_guard(const std::string& who, const std::string& guard) const {
  const auto guards = observatory_.state()->closable_guards(guard);
  OperatorOutcome outcome{guards.empty() ? Result::nobody : Result::refused, 0, {}};
  for (const auto& one : guards)
    if (one->close_by_hand())
      outcome.result = Result::done;
  if (outcome.result == Result::refused)
    outcome.text = "it has no circuit breaker";
  return tell(who, OperatorAction::close_guard, guard, std::move(outcome));
}

OperatorOutcome Operator::resubmit(const std::string& who, const ActorName& sender,
                                   const LetterChoice& choice) const {
  return tell(who, OperatorAction::resubmit, to_string(sender),
              do_to_letters(observatory_, sender, choice,
                            [](auto& one, const auto& ids) { return one.resubmit(ids); }));
}

OperatorOutcome Operator::remove(const std::string& who, const ActorName& sender,
                                 const LetterChoice& choice) const {
  return tell(who, OperatorAction::remove, to_string(sender),
              do_to_letters(observatory_, sender, choice,
                            [](auto& one, const auto& ids) { return one.remove(ids); }));
}

std::optional<KeptLetters> Operator::letters(const std::string& who, const ActorName& sender,
                                             const LetterChoice& choice,
                                             std::size_t at_most) const {
  const auto told = [&](Result result, std::size_t letters, std::string text) {
    tell(who, OperatorAction::look, to_string(sender), {result, letters, std::move(text)});
  };
  const auto one = observatory_.state()->operable(sender);
  if (!one) {
    told(Result::nobody, 0, {});
    return std::nullopt;
  }
  try {
    auto result = letters_of(*one, choice, at_most);
    told(Result::done, result.letters.size(), choice.id ? std::to_string(*choice.id) : "");
    return result;
  } catch (...) {
    told(Result::refused, 0, detail::thrown_text(std::current_exception()));
    throw;
  }
}

} // namespace backoff_actor
