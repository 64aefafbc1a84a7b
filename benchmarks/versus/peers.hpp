#pragma once

#include "versus/readings.hpp"
#include "versus/rows.hpp"

#include <string>
#include <vector>

namespace versus {

/// Adds what Erlang and suture do of the same, whose programs are in the folder `programs`: rates
/// per second of processor time.
void add_peers(std::vector<Subject>& subjects, const Scale& scale, const std::string& programs);

/// Adds the rows that speak of them.
void add_peer_rows(std::vector<Row>& rows);

} // namespace versus
