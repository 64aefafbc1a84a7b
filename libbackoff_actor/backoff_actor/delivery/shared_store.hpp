#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace backoff_actor {

/// Which process owns a shared store.
struct StoreOwner {
  std::string node{};      ///< the name that the process gave itself
  std::uint64_t epoch = 0; ///< as `StoreOwnership::epoch`
  WallTime since{};        ///< when it began to own the store, by the server's clock
  bool is_alive = false;   ///< whether its session holds the lock; else the store has no owner now

  /// Who holds the lock without being the owner, and so keeps every owner from the store:
  /// `process 4711 of user bob`. Empty: nobody does. For a moment it is a new owner.
  std::string held_by{};

  /// Whether all parts are the same.
  friend bool operator==(const StoreOwner&, const StoreOwner&) = default;
};

/// How a process owns a store that others want, too.
struct StoreOwnership {
  /// The fencing token: higher than that of every earlier owner.
  ///
  /// @range 1 and above
  std::uint64_t epoch = 0;

  /// How long the server lets an owner go on that says nothing. Then another process may own the
  /// store.
  ///
  /// @range above 0
  Duration lease{};

  /// Whether both are the same.
  friend bool operator==(const StoreOwnership&, const StoreOwnership&) = default;
};

/// A store that several processes want, and that this one owns. It stays owned until it is
/// destroyed, the lease ends, or the session is ended by others. What passes its calls on is an
/// `OwnedStore` itself: a durable outbox asks the store that it is given.
///
/// @errors `renew` may throw `StoreError`, and so may all that `DeliveryStore` has.
/// @thread as `DeliveryStore`
class OwnedStore : public DeliveryStore {
public:
  /// Under which ownership it writes. Throws nothing.
  virtual StoreOwnership ownership() const = 0;

  /// Tells the server that the owner is alive. Every other answered call tells it, too.
  ///
  /// @errors throws `StoreError`: `unreachable` or `disowned`
  virtual void renew() = 0;

  /// Returns a reader of what other programs have handed over, never null. Connects only when it is
  /// asked to take something.
  ///
  /// @errors throws nothing
  /// @thread any, at any time
  virtual std::unique_ptr<Intake> open_intake() = 0;

  /// As `SharedStore::open_writer`: an owner, too, may have to say something about rows that it has
  /// not read.
  ///
  /// @errors throws nothing
  /// @thread any, at any time
  virtual std::unique_ptr<IncomingWriter> open_writer() { return nullptr; }
};

/// A store on a server that several processes want. One of them owns it at a time; the others stand
/// by. When the owner dies, another takes over.
///
/// @errors every member may throw `StoreError`, unless it says otherwise.
/// @thread one at a time, but not always the same thread; `interrupt` at any time from any thread.
class SharedStore {
public:
  /// A store is made by its own kind's function.
  SharedStore() = default;
  SharedStore(const SharedStore&) = delete;
  SharedStore& operator=(const SharedStore&) = delete;
  /// Gives up waiting. A store that `own` returned stays as it is.
  virtual ~SharedStore() = default;

  /// Where it is, for people: server, database and outbox, without any secret. Throws nothing.
  virtual std::string name() const = 0;

  /// Waits until this process owns the store.
  ///
  /// @param at_most how long to wait; 0: only looks
  /// @returns the store; null: another process owns it, or `interrupt` was called
  virtual std::shared_ptr<OwnedStore> own(Duration at_most) = 0;

  /// Ends a call of `own` soon, and every later one at once. Throws nothing.
  virtual void interrupt() = 0;

  /// Which process owns the store, or owned it last; none: no process ever did.
  virtual std::optional<StoreOwner> owner() = 0;

  /// Returns a way to hand messages over to the owner; null: the store has none. It connects only
  /// when it is asked to write.
  ///
  /// @errors throws nothing
  /// @thread any, at any time
  virtual std::unique_ptr<IncomingWriter> open_writer() { return nullptr; }

  /// Opens the store for reading, whether or not this process owns it; null: nobody else can read
  /// it. The result shows the store as it is at each call. Every operation that would change it
  /// throws `StoreError` with `read_only`.
  ///
  /// @thread any, at any time
  virtual std::shared_ptr<DeliveryStore> open_to_read() { return nullptr; }
};

} // namespace backoff_actor
