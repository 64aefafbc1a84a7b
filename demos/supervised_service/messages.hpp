#pragma once

#include "backoff_actor/caf/compat/compat.hpp"

#include <caf/type_id.hpp>

#include <cstdint>
#include <string>

namespace supervised_service {

// -- between the front, a worker and the cache ---------------------------------------

/// Asks a worker for the price of an item. Answered with `Price`.
struct GetPrice {
  std::string item{}; ///< any
};

/// The answer of a worker.
struct Price {
  std::int64_t cents = 0; ///< above 0
  std::string found_by{}; ///< the worker, for people
  bool was_known = false; ///< the cache had it
};

/// Asks the cache for a price. Answered with the number of cents, 0 if it is not known.
struct LookUp {
  std::string item{}; ///< any
};

/// Tells the cache a price. Not answered.
struct Remember {
  std::string item{};     ///< any
  std::int64_t cents = 0; ///< above 0
};

/// A worker's word to itself: the work on an item is done.
struct Worked {};

// -- misfortunes, which the cache, workers and the front are told ---------------------

/// Lets an actor throw an exception.
struct Crash {};

/// Lets an actor do nothing for a while, not even end.
struct Hang {};

template <class Inspector>
auto inspect(Inspector& f, GetPrice& x) {
  return backoff_actor::compat::object(f, x, "supervised_service::GetPrice",
                                       backoff_actor::compat::field("item", x.item));
}

template <class Inspector>
auto inspect(Inspector& f, Price& x) {
  return backoff_actor::compat::object(f, x, "supervised_service::Price",
                                       backoff_actor::compat::field("cents", x.cents),
                                       backoff_actor::compat::field("found_by", x.found_by),
                                       backoff_actor::compat::field("was_known", x.was_known));
}

template <class Inspector>
auto inspect(Inspector& f, LookUp& x) {
  return backoff_actor::compat::object(f, x, "supervised_service::LookUp",
                                       backoff_actor::compat::field("item", x.item));
}

template <class Inspector>
auto inspect(Inspector& f, Remember& x) {
  return backoff_actor::compat::object(f, x, "supervised_service::Remember",
                                       backoff_actor::compat::field("item", x.item),
                                       backoff_actor::compat::field("cents", x.cents));
}

template <class Inspector>
auto inspect(Inspector& f, Worked& x) {
  return backoff_actor::compat::object(f, x, "supervised_service::Worked");
}

template <class Inspector>
auto inspect(Inspector& f, Crash& x) {
  return backoff_actor::compat::object(f, x, "supervised_service::Crash");
}

template <class Inspector>
auto inspect(Inspector& f, Hang& x) {
  return backoff_actor::compat::object(f, x, "supervised_service::Hang");
}

} // namespace supervised_service

CAF_BEGIN_TYPE_ID_BLOCK(supervised_service, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(supervised_service, (supervised_service::GetPrice))
  CAF_ADD_TYPE_ID(supervised_service, (supervised_service::Price))
  CAF_ADD_TYPE_ID(supervised_service, (supervised_service::LookUp))
  CAF_ADD_TYPE_ID(supervised_service, (supervised_service::Remember))
  CAF_ADD_TYPE_ID(supervised_service, (supervised_service::Worked))
  CAF_ADD_TYPE_ID(supervised_service, (supervised_service::Crash))
  CAF_ADD_TYPE_ID(supervised_service, (supervised_service::Hang))
CAF_END_TYPE_ID_BLOCK(supervised_service)
