#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/admission.hpp"

#include <cstdint>

namespace backoff_actor {

/// A guard as an engine sees it. Several engines may share one.
///
/// @range `now` may go back a little, because threads read the clock at different moments. Then the
///        latest value counts.
/// @errors none but `std::bad_alloc`
/// @thread as the guard says.
class BACKOFF_ACTOR_EXPORT GuardPort {
public:
  virtual ~GuardPort();

  /// Asks whether a call may be made now. A call that is held back does not count as a failure.
  virtual Admission admit(Instant now, Call call) = 0;

  /// The same for a retry that takes `cost` from a retry budget, in place of 1.
  ///
  /// @range `cost`: 0 and above
  virtual Admission admit_retry(Instant now, double cost);

  /// Reports that the service did what it was asked, or at least answered.
  virtual void succeeded(Permit permit, Instant now) = 0;

  /// Reports that the service failed.
  virtual void failed(Permit permit, Instant now) = 0;

  /// Reports that the outcome stays unknown. This makes room for another probe.
  virtual void forgotten(Permit permit, Instant now) = 0;

  /// Whether the service counts as healthy, so that work that leads to calls may begin.
  virtual bool is_closed() const = 0;

  /// How many calls have succeeded since the guard was made, whoever made them. A sender whose
  /// messages fail learns from it that the service does what others ask. 0: nobody counts them.
  virtual std::uint64_t answers() const { return 0; }

protected:
  GuardPort() = default;
  /// Only for copies of a derived class.
  GuardPort(const GuardPort&) = default;
  /// Only for copies of a derived class.
  GuardPort& operator=(const GuardPort&) = default;
};

} // namespace backoff_actor
