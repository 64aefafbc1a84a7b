#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace versus {

/// Runs a program and returns what it printed.
///
/// @errors throws `std::runtime_error` if it cannot be run, or fails; it has said why.
std::string output_of(const std::vector<std::string>& command);

/// Runs a program that prints JSON, and returns that.
///
/// @errors as `output_of`, and `nlohmann::json::exception` if it is none.
nlohmann::json json_of(const std::vector<std::string>& command);

} // namespace versus
