// [worker]
#pragma once

#include "order.hpp"

#include <chrono>
#include <functional>

// Prints the label of an order, or throws. The program has a real printer, a test has its own.
using LabelPrinter = std::function<void(const Order&)>;

// Packs orders, one after the other.
inline caf::behavior packer(caf::event_based_actor*, LabelPrinter print_label) {
  return {[print_label](const Order& order) {
    print_label(order);
    return "packed " + order.item;
  }};
}
// [worker]

// [options]
inline backoff_actor::SenderOptions packer_options() {
  backoff_actor::SenderOptions options;
  options.name = "packer";
  options.backoff = backoff_actor::parse_policy("exponential(100ms, x2, cap 30s) | full_jitter");
  options.ack_timeout = std::chrono::seconds{5}; // longer than the longest job takes
  options.max_attempts = 5;                      // then the order becomes a dead letter
  options.charging = backoff_actor::Charging::every_failure(); // only an order can be at fault
  return options;
}
// [options]
