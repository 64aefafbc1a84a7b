#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
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

namespace backoff_actor::compat {

class VirtualSystem;

} // namespace backoff_actor::compat

namespace backoff_actor::testing {

/// An actor system in one thread, whose clock moves only when the test moves it. Hours pass in
/// milliseconds, and each run is the same. Its actors must not be detached or blocking.
///
/// @thread all members: the thread that made it. Its actors run there too, in `run` and `advance`.
class BACKOFF_ACTOR_EXPORT VirtualTime {
public:
  /// Makes the system. It first calls `init`, and then `configure` on the configuration, which may
  /// register your own message types.
  explicit VirtualTime(const std::function<void(caf::actor_system_config&)>& configure = {});

  /// Thaws all frozen actors, ends all kept ones, and drops all timers. If actors are left, it says
  /// so on the standard error and waits for them; only detached ones can still end by themselves.
  ~VirtualTime();

  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;

  /// The system to spawn into; call `keep` for each actor that you spawn.
  caf::actor_system& system();

  /// Ends `actor` together with this object, whose destructor would otherwise wait for it. Returns
  /// the actor.
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

  /// Lets all actors work until no message is left, and returns how many times an actor ran. The
  /// clock does not move.
  ///
  /// @errors throws `std::runtime_error` after a million times: the actors keep each other busy.
  std::size_t run();

  /// Moves the clock forward by `span`. At every timer on the way it stops and lets the actors
  /// work. Returns how many timers fired.
  ///
  /// @errors throws `InvalidArgument` if `span` is negative; otherwise as `run`.
  std::size_t advance(Duration span);

  /// Moves the clock to the next timer, fires it and lets the actors work. Returns how far the
  /// clock moved; nothing if no timer is set once the actors are idle.
  ///
  /// @errors as `run`
  std::optional<Duration> advance_to_next_timer();

  /// The current time of the clock.
  Instant now();

  /// How many timers are set.
  std::size_t timers();

  /// How long it is until the next timer fires; nothing if none is set.
  std::optional<Duration> next_timer();

  /// Makes a request whose answer is a `T`, and returns the place where the answer will be. A new
  /// client makes it and waits without limit. The caller still has to `run`.
  ///
  /// @shape `receiver`: a handle, typed or not.
  template <class T, class Handle, class... Ts>
  std::shared_ptr<Answer<T>> ask(const Handle& receiver, Ts... values) {
    auto answer = std::make_shared<Answer<T>>();
    keep(system().spawn<Client>([=, to = caf::actor_cast<caf::actor>(receiver)](auto* self) {
      compat::request(*self, to, values...)
        .then([=](const T& value) { answer->value = value; },
              [=](const caf::error& error) {
                answer->error = error;
                answer->error_text = render(self->system(), error);
              });
    }));
    return answer;
  }

  /// Sends an anonymous message. The caller still has to `run`.
  template <class... Ts>
  void tell(const caf::actor& receiver, Ts&&... values) {
    compat::enqueue(receiver, std::forward<Ts>(values)...);
  }

  /// Asks `actor` to end. The caller still has to `run`.
  void stop(const caf::actor& actor);

  /// Stops all work of `actor` until it thaws, as if it were stuck in a message handler. Nothing
  /// can end it meanwhile, not even `caf::exit_reason::kill`.
  void freeze(const caf::actor& actor);

  /// Lets a frozen actor continue with the messages in its mailbox. The caller still has to `run`.
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

  std::unique_ptr<compat::VirtualSystem> virtual_system_; // never null
  std::vector<caf::actor> kept_;
};

} // namespace backoff_actor::testing
