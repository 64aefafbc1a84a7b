#pragma once

#include "postgres/measures.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace postgres_benchmarks {

/// The job queues that are measured beside a sender.
inline constexpr std::array<const char*, 2> peer_queues{"graphile-worker", "pg-boss"};

/// Runs a job queue in a new database, and returns what it printed.
///
/// @param folder that of the peers' packages
/// @param arguments of postgres_queues.js, behind the URL
/// @param prepare is called before it, with the connection
/// @errors throws `std::runtime_error` if it fails.
nlohmann::json run_peer_queue(const example::PrivatePostgres& server, const std::string& folder,
                              const std::string& queue, const std::vector<std::string>& arguments,
                              const std::function<void(const std::string&)>& prepare = {});

/// What a sender does in a new database, and a peer by the arguments of its program.
struct BesidePeers {
  std::string what;
  std::string unit;
  std::function<double(const std::string& connection)> ours;
  std::vector<std::string> arguments;
  const char* figure;    ///< of what the peer prints
  Goal goal;             ///< beside the better one, or the first if that is the only one
  std::size_t peers = 2; ///< how many of them
};

/// Measures it in turn: a row beside the better peer, which has the goal, and one beside each.
Rows measure_beside(const example::PrivatePostgres& server, const Extent& extent,
                    const BesidePeers& it);

} // namespace postgres_benchmarks
