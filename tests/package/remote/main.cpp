// A stranger's program: a node with message types of its own.

#include <backoff_actor/caf/remote/network.hpp>

#include <caf/actor_system.hpp>

#include <cstdint>
#include <iostream>

struct Order {
  std::uint64_t number = 0;
};

template <class Inspector>
auto inspect(Inspector& f, Order& x) {
  namespace compat = backoff_actor::compat;
  return compat::object(f, x, "Order", compat::field("number", x.number));
}

CAF_BEGIN_TYPE_ID_BLOCK(shop, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(shop, (Order))
CAF_END_TYPE_ID_BLOCK(shop)

int main() {
  caf::actor_system_config config;
  backoff_actor::init_network<caf::id_block::shop>(config);
  caf::actor_system system{config};
  std::cout << (system.has_middleman() ? "a node" : "no node") << '\n';
}
