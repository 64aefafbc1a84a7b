#pragma once

#include "common/private_postgres.hpp"

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

} // namespace postgres_benchmarks
