#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/net/internal/socket.hpp"

namespace backoff_actor::net {

/// A signal between threads that can be polled: an eventfd. Stays raised until it is lowered.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT Signal {
public:
  /// @errors throws `std::system_error` if no descriptor is left.
  Signal();

  void raise() const;
  void lower() const;
  const Descriptor& descriptor() const { return descriptor_; }

private:
  Descriptor descriptor_;
};

} // namespace backoff_actor::net
