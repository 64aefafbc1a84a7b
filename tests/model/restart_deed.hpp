#pragma once

#include "walk_command.hpp"

#include <rapidcheck.h>

#include <cstdint>
#include <ostream>

namespace backoff_actor::model_test {

/// What happens to a sender, or to its store, or to the process that both are in.
struct Deed {
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

inline void showValue(const Deed& x, std::ostream& out) {
  switch (x.what) {
  case Deed::What::live:
    return showValue(x.command, out);
  case Deed::What::commit:
    out << "commit, " << x.percent() << " of 100";
    break;
  case Deed::What::answer:
    out << "answer" << (x.is_told_again() ? ", to be told again" : "");
    break;
  case Deed::What::kill:
    out << "kill" << (x.makes_what_failed() ? ", what failed was made" : "") << ", and wait "
        << to_string(x.pause());
    break;
  case Deed::What::stop:
    out << "stop" << (x.is_cut_short() ? ", cut short" : "")
        << (x.is_cut_short() && x.makes_what_failed() ? ", what failed was made" : "")
        << ", and wait " << to_string(x.pause());
    break;
  }
  out << " {" << x.command.who << ", " << x.command.how << "}\n";
}

inline rc::Gen<Deed> arbitrary_deed() {
  return rc::gen::build<Deed>(
    rc::gen::set(&Deed::what, rc::gen::weightedElement<Deed::What>({{280, Deed::What::live},
                                                                    {60, Deed::What::commit},
                                                                    {60, Deed::What::answer},
                                                                    {7, Deed::What::kill},
                                                                    {5, Deed::What::stop}})),
    rc::gen::set(&Deed::command, arbitrary_command()));
}

} // namespace backoff_actor::model_test
