#pragma once

#include <backoff_actor/backoff_actor.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace backoff_actor::actor_test {

/// A message that throws when it is copied, once it is told to. To move it is to copy it.
struct Fragile {
  Fragile() = default;
  explicit Fragile(int n) : number(n) {}
  Fragile(const Fragile& other) : number(other.number) {
    ++copies;
    if (is_broken)
      throw std::runtime_error("broken");
  }
  Fragile& operator=(const Fragile&) = default;
  ~Fragile() = default;

  int number = 0;
  inline static bool is_broken = false;
  inline static int copies = 0; // of all

  template <class Inspector>
  friend auto inspect(Inspector& f, Fragile& x) {
    return compat::object(f, x, "Fragile", compat::field("number", x.number));
  }
};

/// A message with an actor handle, which may be none.
struct Letter {
  caf::actor address;

  template <class Inspector>
  friend auto inspect(Inspector& f, Letter& x) {
    return compat::object(f, x, "Letter", compat::field("address", x.address));
  }
};

/// A message with parts of several kinds.
struct Parcel {
  std::string content;
  std::vector<std::int32_t> numbers;
  std::vector<Letter> letters;

  template <class Inspector>
  friend auto inspect(Inspector& f, Parcel& x) {
    return compat::object(f, x, "Parcel", compat::field("content", x.content),
                          compat::field("numbers", x.numbers), compat::field("letters", x.letters));
  }
};

} // namespace backoff_actor::actor_test

CAF_BEGIN_TYPE_ID_BLOCK(backoff_actor_tests, caf::first_custom_type_id + 100)
  CAF_ADD_TYPE_ID(backoff_actor_tests, (backoff_actor::actor_test::Fragile))
  CAF_ADD_TYPE_ID(backoff_actor_tests, (backoff_actor::actor_test::Letter))
  CAF_ADD_TYPE_ID(backoff_actor_tests, (backoff_actor::actor_test::Parcel))
CAF_END_TYPE_ID_BLOCK(backoff_actor_tests)

namespace backoff_actor::actor_test {

/// Registers the library's types and those of these tests.
void register_test_types(caf::actor_system_config& config);

} // namespace backoff_actor::actor_test
