#pragma once

#include "backoff_actor/caf/compat/virtual_system.hpp"
#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/testing/time/answer.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace backoff_actor::testing {

/// An actor system in one thread, whose clock moves only when it is told to: hours in milliseconds,
/// and the same run every time. Actors of it must not be detached or blocking.
///
/// @thread all members in the thread that made it; its actors run there too, in `run` and
///         `advance`.
class BACKOFF_ACTOR_EXPORT VirtualTime {
public:
  /// Makes the system, after `init` and then `configure`, which registers message types of your
  /// own, have been called on its configuration.
  explicit VirtualTime(const std::function<void(caf::actor_system_config&)>& configure = {});

  /// Thaws all frozen actors, ends all kept ones, and drops all timers. Waits for those that are left,
  /// and says so on the standard error, for only detached ones can still end by themselves.
  ~VirtualTime();

  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;

  /// The system to spawn into; `keep` what is spawned.
  caf::actor_system& system();

  /// Makes sure that `actor` does not outlive this object, whose destructor would wait for it, and
  /// returns it.
  ///
  /// @shape `actor`: a handle, typed or not.
  template <class Handle>
  Handle keep(Handle actor) {
    kept_.push_back(caf::actor_cast<caf::actor>(actor));
    return actor;
  }

  /// Spawns an actor of a class and keeps it.
  template <class T, class... Ts>
  caf::actor spawn(Ts&&... arguments) {
    return caf::actor_cast<caf::actor>(keep(system().spawn<T>(std::forward<Ts>(arguments)...)));
  }

  /// Lets all actors work until no message is left, and returns how many times one was given the
  /// floor. The clock stands still.
  ///
  /// @errors throws `std::runtime_error` after a million times: they keep each other busy.
  std::size_t run();

  /// Moves the clock on by `span`, stopping at every timer on the way to let the actors work, and
  /// returns how many timers went off.
  ///
  /// @errors throws `InvalidArgument` if `span` is negative; otherwise as `run`.
  std::size_t advance(Duration span);

  /// Moves the clock on to the next timer, lets it off and the actors work, and returns how far the
  /// clock was moved; nothing if no timer is set once the actors have nothing to do.
  ///
  /// @errors as `run`
  std::optional<Duration> advance_to_next_timer();

  /// Where the clock stands.
  Instant now();

  /// How many timers are set.
  std::size_t timers();

  /// How long it is until the next timer goes off; nothing if none is set.
  std::optional<Duration> next_timer();

  /// Makes a request whose answer is a `T`, from a client of its own that waits without limit, and
  /// returns where the answer will be. The caller still has to `run`.
  ///
  /// @shape `receiver`: a handle, typed or not.
  template <class T, class Handle, class... Ts>
  std::shared_ptr<Answer<T>> ask(const Handle& receiver, Ts... values) {
    auto answer = std::make_shared<Answer<T>>();
    keep(system().spawn<Client>([=, to = caf::actor_cast<caf::actor>(receiver)](auto* self) {
      seam::request(*self, to, values...)
        .then([=](const T& value) { answer->value = value; },
              [=](const caf::error& error) {
                answer->error = error;
                answer->error_text = render(self->system(), error);
              });
    }));
    return answer;
  }

  /// Sends without a sender. The caller still has to `run`.
  template <class... Ts>
  void tell(const caf::actor& receiver, Ts&&... values) {
    seam::enqueue(receiver, std::forward<Ts>(values)...);
  }

  /// Asks `actor` to end. The caller still has to `run`.
  void stop(const caf::actor& actor);

  /// Lets `actor` do nothing more until it thaws, as if it were stuck in the work on a message:
  /// nothing can end it meanwhile, not even `caf::exit_reason::kill`.
  void freeze(const caf::actor& actor);

  /// Lets a frozen actor go on with what waits in its mailbox. The caller still has to `run`.
  void thaw(const caf::actor& actor);

private:
  // A class, because CAF 0.17.6 dereferences a null pointer when it spawns a function without
  // arguments.
  class Client final : public caf::event_based_actor {
  public:
    Client(caf::actor_config& config, std::function<void(caf::event_based_actor*)> work)
      : caf::event_based_actor(config), work_(std::move(work)) {}

    caf::behavior make_behavior() override {
      std::exchange(work_, nullptr)(this);
      return {};
    }

  private:
    std::function<void(caf::event_based_actor*)> work_;
  };

  seam::VirtualSystem virtual_system_;
  std::vector<caf::actor> kept_;
};

} // namespace backoff_actor::testing
