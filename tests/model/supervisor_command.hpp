#pragma once

#include "drawn.hpp"
#include "supervisor_conditions.hpp"

#include <rapidcheck.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

namespace backoff_actor::model_test {

/// One input of a walk in the making. What it refers to is looked up when its turn comes, so that a
/// walk from which inputs were dropped still makes sense.
struct SupervisorCommand {
  enum class Kind {
    made,
    up,
    come_up, // made, and up
    start_failed,
    not_up,
    down,
    all_down,
    all_up,
    start_child,
    terminate,
    restart,
    forget,
    retry_now,
    tick,    // to the wake-up that is out
    advance, // and wake if that is due
    be_late, // the wake-up does not come
    wake,    // though nothing may be due
    start,
    stop,
    finish,
    child_finished,
  };

  static constexpr Choice<Kind> kinds[] = {{60, Kind::made, "made"},
                                           {60, Kind::up, "up"},
                                           {250, Kind::come_up, "come up"},
                                           {50, Kind::start_failed, "start failed"},
                                           {30, Kind::not_up, "not up"},
                                           {250, Kind::down, "down"},
                                           {20, Kind::all_down, "all down"},
                                           {60, Kind::all_up, "all up"},
                                           {60, Kind::start_child, "start a child"},
                                           {40, Kind::terminate, "terminate"},
                                           {50, Kind::restart, "restart"},
                                           {20, Kind::forget, "delete"},
                                           {30, Kind::retry_now, "retry now"},
                                           {150, Kind::tick, "tick"},
                                           {150, Kind::advance, "advance"},
                                           {20, Kind::be_late, "be late"},
                                           {20, Kind::wake, "wake"},
                                           {4, Kind::start, "start"},
                                           {3, Kind::stop, "stop"},
                                           {3, Kind::finish, "finish"},
                                           {60, Kind::child_finished, "child finished"}};

  Kind kind = Kind::made;
  std::uint32_t who = 0; // which of the children, actors ...
  std::uint32_t how = 0; // which variant; 0 is the simplest

  std::uint32_t which() const { return who / 16; }

  Cause cause() const { return {how % 3, how % 7 == 6 ? "" : "error " + std::to_string(how % 4)}; }
  Directive directive() const { return directive_of(how / 16); }
  Directive all_alike() const { return how % 8 < 4 ? Directive::restart : Directive::resume; }
  Ending ending() const {
    constexpr Ending endings[] = {Ending::failed, Ending::failed,   Ending::failed, Ending::failed,
                                  Ending::normal, Ending::shutdown, Ending::killed};
    return endings[how / 256 % 7];
  }
  std::string new_id() const { return how % 3 == 0 ? "" : id_of(which() % 10); }
  /// Whether a supervisor that finishes ends by itself, and within how much time; unset: in any.
  bool finish_ends() const { return how % 3 != 0; }
  std::optional<Duration> grace() const {
    return how / 3 % 4 == 0 ? std::nullopt
                            : std::optional{std::chrono::milliseconds{1} * (how / 12 % 60)};
  }
  Duration span() const { return std::chrono::milliseconds{1} * (how % 60); }
};

inline void showValue(const SupervisorCommand& x, std::ostream& out) {
  out << test::name_of(x.kind, SupervisorCommand::kinds) << " {" << x.who << ", " << x.how << "}\n";
}

inline rc::Gen<SupervisorCommand> arbitrary_supervisor_command() {
  return rc::gen::build<SupervisorCommand>(
    rc::gen::set(&SupervisorCommand::kind, test::weighted(SupervisorCommand::kinds)),
    rc::gen::set(&SupervisorCommand::who, below<std::uint32_t>(1600)),
    rc::gen::set(&SupervisorCommand::how, below<std::uint32_t>(100'000)));
}

} // namespace backoff_actor::model_test
