#include "backoff_actor/caf/remote/network.hpp"

#include "backoff_actor/caf/remote/internal/io_compat.hpp"
#include "backoff_actor/caf/remote/internal/node.hpp"
#include "backoff_actor/caf/remote/internal/remote_identifiers.hpp"
#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/check_span.hpp"
#include "backoff_actor/retry/default_draws.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace backoff_actor {

Problems check(const NetworkOptions& options) {
  Problems problems{"NetworkOptions"};
  const auto interval = options.heartbeat_interval;
  detail::check_time(problems, "heartbeat_interval", interval);
  const auto least = (Instant{interval} + interval).since_origin;
  if (options.connection_timeout < std::max(least, Duration{1}))
    problems.add("connection_timeout", to_string(options.connection_timeout),
                 interval <= Duration::zero()
                   ? "at least two heartbeat_interval"
                   : "at least two heartbeat_interval: " + to_string(least));
  if (options.tls)
    problems.add_nested("tls", check(*options.tls));
  detail::check_count(problems, "max_workers", options.max_workers, 1, 1'000'000);
  detail::check_count(problems, "max_frame", options.max_frame, 65'536, 1'073'741'824);
  return problems;
}

namespace detail {

void set_up_network(caf::actor_system_config& config, const NetworkOptions& options,
                    std::vector<TypeBlock> blocks) {
  std::ranges::move(io_compat::own_type_blocks(), std::back_inserter(blocks));
  io_compat::load_middleman(config, options.heartbeat_interval, options.connection_timeout);
  NetworkNode::set_up(config, options);

  // Different on every node: CAF connects nodes that have any identifier in common.
  const auto node = random_bits();
  auto identifiers = io_compat::identifiers(config);
  for (const auto& block : blocks)
    if (!block.names.empty())
      identifiers.push_back(remote_identifiers::of_block(block, node));
  identifiers.push_back(remote_identifiers::of_protocol(node));
  io_compat::set_identifiers(config, std::move(identifiers));
}

} // namespace detail

} // namespace backoff_actor
