// [order]
#pragma once

#include <backoff_actor/backoff_actor.hpp>

#include <cstdint>
#include <string>

struct Order {
  std::uint32_t number = 0;
  std::string item;
};

auto inspect(auto& f, Order& x) { // works with CAF 0.17 and 1.x
  using namespace backoff_actor::compat;
  return object(f, x, "Order", field("number", x.number), field("item", x.item));
}

CAF_BEGIN_TYPE_ID_BLOCK(shop, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(shop, (Order))
CAF_END_TYPE_ID_BLOCK(shop)
// [order]
