#pragma once

#include <backoff_actor/backoff_actor.hpp>

#include <stdexcept>

namespace backoff_actor::actor_test {

/// A message that throws when it is copied, once it is told to.
struct Fragile {
  Fragile() = default;
  explicit Fragile(int n) : number(n) {}
  Fragile(const Fragile& other) : number(other.number) {
    if (is_broken)
      throw std::runtime_error("broken");
  }
  Fragile& operator=(const Fragile&) = default;
  ~Fragile() = default;

  int number = 0;
  inline static bool is_broken = false;

  template <class Inspector>
  friend auto inspect(Inspector& f, Fragile& x) {
    return seam::object(f, x, "Fragile", seam::field("number", x.number));
  }
};

} // namespace backoff_actor::actor_test

CAF_BEGIN_TYPE_ID_BLOCK(backoff_actor_tests, caf::first_custom_type_id + 100)
  CAF_ADD_TYPE_ID(backoff_actor_tests, (backoff_actor::actor_test::Fragile))
CAF_END_TYPE_ID_BLOCK(backoff_actor_tests)
