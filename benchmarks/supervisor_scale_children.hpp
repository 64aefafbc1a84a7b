#pragma once

// The children of the benchmark supervisor_scale, and who watches them by hand.

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace supervisor_scale {

// -- children ---------------------------------------------------------------------

/// All children that are there.
///
/// @thread `spawn` in that of who watches them, `is_up` in any; the others in the main thread,
///         while nobody spawns.
class Nursery {
public:
  explicit Nursery(std::uint64_t count) : children_(count) {}

  std::uint64_t count() const { return children_.size(); }

  caf::actor spawn(caf::event_based_actor* parent, std::uint64_t index);

  /// Is told by each child.
  void is_up() {
    if (++up_ % children_.size() == 0)
      up_.notify_all();
  }

  /// Waits until each child has been up so many times.
  void await(std::uint64_t times) const {
    const auto wanted = times * children_.size();
    for (auto up = up_.load(); up < wanted; up = up_.load())
      up_.wait(up);
  }

  void crash_all() const {
    for (const auto& child : children_)
      caf::anon_send(child, std::uint64_t{0});
  }

  void end_all() const {
    for (const auto& child : children_)
      caf::anon_send_exit(child, caf::exit_reason::user_shutdown);
  }

  void forget() { children_.clear(); }

private:
  std::vector<caf::actor> children_;
  std::atomic<std::uint64_t> up_{0};
};

/// Ends with an error when it is told anything.
class Child : public caf::event_based_actor {
public:
  Child(caf::actor_config& config, Nursery* nursery)
    : caf::event_based_actor(config), nursery_(nursery) {}

  caf::behavior make_behavior() override {
    nursery_->is_up();
    return {[this](std::uint64_t) { quit(caf::sec::runtime_error); }};
  }

private:
  Nursery* nursery_;
};

inline caf::actor Nursery::spawn(caf::event_based_actor* parent, std::uint64_t index) {
  return children_[index] = parent->spawn<Child>(this);
}

// -- who watches them ----------------------------------------------------------------

/// What a plain CAF actor is told; it answers the word when it has done it or, of `end`, begun it.
enum Word : std::uint64_t { begin, look, end };

/// Spawns children, and, if it watches them, each again that ends.
class ByHand : public caf::event_based_actor {
public:
  ByHand(caf::actor_config& config, Nursery* nursery, bool watches)
    : caf::event_based_actor(config), nursery_(nursery), watches_(watches) {
    set_down_handler([this](caf::down_msg& down) { on_down(down); });
  }

  caf::behavior make_behavior() override {
    return {[this](std::uint64_t word) {
      if (word == begin)
        for (std::uint64_t i = 0; i < nursery_->count(); ++i)
          spawn_child(i);
      if (word == end) {
        is_ending_ = true;
        nursery_->end_all();
        if (!watches_)
          quit();
      }
      return word;
    }};
  }

private:
  void spawn_child(std::uint64_t index) {
    const auto child = nursery_->spawn(this, index);
    if (!watches_)
      return;
    monitor(child);
    index_of_.emplace(child.address(), index);
  }

  void on_down(const caf::down_msg& down) {
    const auto found = index_of_.find(down.source);
    const auto index = found->second;
    index_of_.erase(found);
    if (!is_ending_)
      spawn_child(index);
    else if (index_of_.empty())
      quit();
  }

  Nursery* nursery_;
  std::unordered_map<caf::actor_addr, std::uint64_t> index_of_;
  bool watches_;
  bool is_ending_ = false;
};

} // namespace supervisor_scale
