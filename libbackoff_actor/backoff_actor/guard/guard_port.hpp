#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace backoff_actor {

/// What a call of a guarded service is.
enum class Call : std::uint8_t {
  first, ///< the first attempt at something
  retry, ///< another attempt at the same
  start, ///< the making of what makes calls; neither earns a retry nor is one
};

/// Why a guard does not let a call through.
enum class HeldBackBy : std::uint8_t {
  open_breaker,     ///< the circuit breaker is open
  probe,            ///< the breaker is half open, and as many probes as it wants are on their way
  isolated_breaker, ///< somebody isolated the service; only `close` ends that
  retry_budget,     ///< there were too many retries of late
};

/// Returns the enumerator's name; `unknown` for a number that is none.
BACKOFF_ACTOR_EXPORT std::string_view to_string(HeldBackBy reason);

/// Leave to make one call. Whoever has it tells the guard once what became of the call. Made of
/// nothing: none.
struct Permit {
  std::uint32_t generation = 0; ///< which state of the breaker it was given in; 0: no permit
  std::uint32_t probe = 0;      ///< which probe of that state; 0: the call is none

  /// Whether there is one.
  explicit operator bool() const { return generation != 0; }

  /// Whether two are the same.
  friend bool operator==(const Permit&, const Permit&) = default;
};

/// The call is not to be made now.
struct HeldBack {
  HeldBackBy reason; ///< why

  /// When to ask again; `Instant::never()`: when the guard is closed by hand. It is another for
  /// each caller, so that they do not all come at once; and no promise.
  Instant until;
};

/// Returns how long it is from `now` until a call that is held back is to be tried again; nothing:
/// when the guard is closed by hand.
BACKOFF_ACTOR_EXPORT std::optional<Duration> come_back_in(const HeldBack& held_back, Instant now);

/// A guard's answer.
using Admission = std::variant<Permit, HeldBack>;

/// What an engine asks of the guard of its service, which it may share with others.
///
/// @range  `now` may go back a little, as threads do not agree on it; the latest counts then.
/// @errors none but `std::bad_alloc`
/// @thread as the guard says.
class BACKOFF_ACTOR_EXPORT GuardPort {
public:
  virtual ~GuardPort();

  /// Asks whether a call may be made now. To be held back is nobody's failure.
  virtual Admission admit(Instant now, Call call) = 0;

  /// Tells that the service did what it was asked, or that it answered all the same.
  virtual void succeeded(Permit permit, Instant now) = 0;

  /// Tells that the service failed.
  virtual void failed(Permit permit, Instant now) = 0;

  /// Tells that nobody will know, which makes room for another probe.
  virtual void forgotten(Permit permit, Instant now) = 0;

  /// Whether the service is taken for well, so that whatever leads to calls may be begun.
  virtual bool is_closed() const = 0;

protected:
  GuardPort() = default;
  /// As the derived class does.
  GuardPort(const GuardPort&) = default;
  /// As the derived class does.
  GuardPort& operator=(const GuardPort&) = default;
};

} // namespace backoff_actor
