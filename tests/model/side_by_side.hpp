#pragma once

#include "lines.hpp"

#include <rapidcheck.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test {

/// An engine and, beside it, its reference: after every step both must have asked for the same and
/// told the same, and each event must have the engine's name. An account checks what must hold
/// whatever the two agree on. If the options have a hook that throws, the engine must report each
/// exception, and the two must agree all the same.
///
/// All three are made of the options and `more`. The account checks each event and each effect and
/// puts it in words; it has none for what the reference does not foretell.
template <class Engine, class Reference, class Account, class Input, class Effects, class Event>
class SideBySide {
public:
  template <class Options, class... More>
  explicit SideBySide(const Options& options, const More&... more)
    : reference(options, more...), account(options, more...) {
    auto heard = options;
    heard.on_event = [this, hook = options.on_event](const Event& event) {
      events_.push_back(event);
      if (hook)
        call(hook, event);
    };
    set_name(heard.name);
    engine_ = std::make_unique<Engine>(std::make_shared<const Options>(std::move(heard)), more...);
  }

  SideBySide(const SideBySide&) = delete;
  SideBySide& operator=(const SideBySide&) = delete;

  Reference reference;
  Account account;

  const Engine& engine() const { return *engine_; }

  /// Returns what is to be done, until the next step.
  const Effects& step(Instant now, const Input& input) {
    steps_.emplace_back(now, input);
    events_.clear();
    effects_.clear();
    asked_.clear();
    told_.clear();
    thrown_.clear();
    account.before(now, input);
    reference.step(now, input);
    step_engine(now, input);
    for (const auto& event : events_)
      RC_ASSERT(event.of == name_);
    put_in_words(events_, told_);
    put_in_words(effects_, asked_);
    RC_ASSERT(asked_ == reference.taken);
    RC_ASSERT(told_ == reference.told);
    RC_ASSERT(reported() == thrown_);
    return effects_;
  }

  /// A line of the story that is not the engine's.
  void remark(Instant now, std::string text) { steps_.emplace_back(now, std::move(text)); }

  /// The steps so far and the remarks, to make a unit test of; `words` are those of an input.
  template <class Words>
  std::string steps(Words words) const {
    std::string text;
    for (const auto& [at, what] : steps_) {
      const auto* const input = std::get_if<Input>(&what);
      const auto& step = input != nullptr ? words(*input) : std::get<std::string>(what);
      text += "  " + describe(at) + " " + step + "\n";
    }
    return text;
  }

  /// The same, the failing step included, with both answers to the last.
  template <class Words>
  std::string story(Words words) const {
    auto text = "the story:\n" + steps(words);
    const auto list = [&text](const char* whose, const Lines& lines) {
      text += whose;
      for (const auto& x : lines)
        text += "\n    " + x;
      text += "\n";
    };
    list("  the engine's answer to the last, as far as it was looked at:", asked_);
    list("  the reference's:", reference.taken);
    list("  what the engine told:", told_);
    list("  what the reference told:", reference.told);
    return text;
  }

private:
  template <class Hook>
  void call(const Hook& hook, const Event& event) {
    try {
      hook(event);
    } catch (const std::exception& exception) {
      thrown_.emplace_back(exception.what());
      throw;
    }
  }

  // The exceptions that the engine reported: only that effect has a text.
  Lines reported() const {
    Lines result;
    for (const auto& effect : effects_)
      std::visit(
        [&result](const auto& x) {
          if constexpr (requires { x.text; })
            result.push_back(x.text);
        },
        effect);
    return result;
  }

  // An engine of senders shares its kind with others and is given its number with each step; that
  // of a supervisor has its name to itself.
  void set_name(std::string& kind) { kind = name_.kind; }
  void set_name(ActorName& name) { name = name_; }

  void step_engine(Instant now, const Input& input) {
    if constexpr (requires { engine_->step(now, input, effects_, name_.number); }) {
      ++name_.number;
      engine_->step(now, input, effects_, name_.number);
    } else {
      engine_->step(now, input, effects_);
    }
  }

  template <class List>
  void put_in_words(const List& list, Lines& lines) {
    for (const auto& x : list)
      if (auto words = account.line(x); !words.empty())
        lines.push_back(std::move(words));
  }

  ActorName name_{"walker", 1};
  std::unique_ptr<Engine> engine_;
  Effects effects_;
  std::vector<Event> events_;
  Lines asked_, told_, thrown_;
  std::vector<std::pair<Instant, std::variant<Input, std::string>>> steps_;
};

} // namespace backoff_actor::model_test
