#pragma once

#include "walk_command.hpp"

#include <rapidcheck.h>

#include <cstdint>
#include <ostream>

namespace backoff_actor::model_test {

/// What happens to a sender, or to its store, or to the process that both are in.
struct Action {
  enum class What {
    live,   // a command of the other walks
    commit, // some changes, or try to
    answer, // what the store has to say of one delivery
    kill,   // the process; another follows
    stop,   // the sender; another follows
  };

  What what;
  Command command; // to live; else for its numbers

  /// How many of `count`, at least one if there is one.
  std::size_t some_of(std::size_t count) const {
    return count == 0 ? 0 : 1 + command.which() % count;
  }
  /// How many of `count`, none included.
  std::size_t any_of(std::size_t count) const { return command.which() % (count + 1); }

  std::uint32_t percent() const { return command.how % 100; }
  bool is_told_again() const { return command.who % 16 == 15; }

  /// Whether the process is killed before all is committed that the sender had to say at its end.
  bool is_cut_short() const { return command.how % 4 == 3; }

  /// Whether, when the process is killed, the changes that failed last were made all the same.
  bool makes_what_failed() const { return command.how % 3 == 2; }

  /// Until the next sender begins.
  Duration pause() const { return std::chrono::milliseconds{1} * (command.how / 4 % 50); }
};

inline void showValue(const Action& x, std::ostream& out) {
  switch (x.what) {
  case Action::What::live:
    return showValue(x.command, out);
  case Action::What::commit:
    out << "commit, " << x.percent() << " of 100";
    break;
  case Action::What::answer:
    out << "answer" << (x.is_told_again() ? ", to be told again" : "");
    break;
  case Action::What::kill:
    out << "kill" << (x.makes_what_failed() ? ", what failed was made" : "") << ", and wait "
        << to_string(x.pause());
    break;
  case Action::What::stop:
    out << "stop" << (x.is_cut_short() ? ", cut short" : "")
        << (x.is_cut_short() && x.makes_what_failed() ? ", what failed was made" : "")
        << ", and wait " << to_string(x.pause());
    break;
  }
  out << " {" << x.command.who << ", " << x.command.how << "}\n";
}

inline rc::Gen<Action> arbitrary_action() {
  return rc::gen::build<Action>(
    rc::gen::set(&Action::what, rc::gen::weightedElement<Action::What>({{280, Action::What::live},
                                                                        {60, Action::What::commit},
                                                                        {60, Action::What::answer},
                                                                        {7, Action::What::kill},
                                                                        {5, Action::What::stop}})),
    rc::gen::set(&Action::command, arbitrary_command()));
}

} // namespace backoff_actor::model_test
