// The program of examples/quickstart in plain CAF: the same worker, without supervision.

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/type_id.hpp>

#include <iostream>
#include <stdexcept>
#include <string>

struct Order {
  std::uint32_t number = 0;
  std::string item;
};

template <class Inspector>
auto inspect(Inspector& f, Order& x) {
#if CAF_VERSION < 1800
  return f(caf::meta::type_name("Order"), x.number, x.item);
#else
  return f.object(x).fields(f.field("number", x.number), f.field("item", x.item));
#endif
}

CAF_BEGIN_TYPE_ID_BLOCK(shop, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(shop, (Order))
CAF_END_TYPE_ID_BLOCK(shop)

caf::behavior packer(caf::event_based_actor*) {
  return {[](const Order& order) {
    static int calls = 0;
    if (++calls % 2 == 0)
      throw std::runtime_error("the label printer is out of paper");
    return "packed " + order.item;
  }};
}

int main() {
  caf::actor_system_config config;
  config.add_message_types<caf::id_block::shop>();
  caf::actor_system system{config};
  auto worker = system.spawn(packer);
  caf::scoped_actor self{system};
  for (const auto& order : {Order{1, "apples"}, Order{2, "pears"}, Order{3, "plums"}})
    self->request(worker, caf::infinite, order)
      .receive([](const std::string& answer) { std::cout << answer + '\n'; },
               [&](const caf::error& error) { std::cout << to_string(error) + '\n'; });
}
