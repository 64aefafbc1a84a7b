#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>

#include <iostream>
#include <stdexcept>

struct Order {
  std::uint64_t number = 0;
  std::string item;
};

struct Receipt {
  std::uint64_t number = 0;
};

template <class Inspector>
auto inspect(Inspector& f, Order& x) {
  namespace compat = backoff_actor::compat;
  return compat::object(f, x, "Order", compat::field("number", x.number),
                        compat::field("item", x.item));
}

template <class Inspector>
auto inspect(Inspector& f, Receipt& x) {
  namespace compat = backoff_actor::compat;
  return compat::object(f, x, "Receipt", compat::field("number", x.number));
}

CAF_BEGIN_TYPE_ID_BLOCK(shop, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(shop, (Order))
  CAF_ADD_TYPE_ID(shop, (Receipt))
CAF_END_TYPE_ID_BLOCK(shop)

class Till : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](const Order& order) {
      static int calls = 0;
      if (++calls == 1)
        throw std::runtime_error("out of paper");
      return Receipt{order.number};
    }};
  }
};

int main() {
  // [init]
  caf::actor_system_config config;
  backoff_actor::init<caf::id_block::shop>(config);
  caf::actor_system system{config};
  // [init]
  const auto till = backoff_actor::spawn_back_off_sender(system, backoff_actor::child_of<Till>());
  caf::scoped_actor self{system};
  self->request(till, caf::infinite, Order{7, "tea"})
    .receive(
      [](const Receipt& receipt) { std::cout << "receipt " << receipt.number << '\n'; },
      [&](const caf::error& error) { std::cout << backoff_actor::render(system, error) << '\n'; });
}
