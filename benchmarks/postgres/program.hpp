#pragma once

#include "common/private_postgres.hpp"
#include "postgres/report.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace postgres_benchmarks {

/// How much is measured. The command line says it.
struct Extent {
  std::uint64_t rounds;
  std::uint64_t seconds; ///< the length of a series
  std::uint64_t jobs;    ///< of a peer
  std::uint64_t rows;    ///< see `Program::rows_option`
  std::string peers;     ///< the folder with the packages of the peers; empty: none is measured
  std::uint64_t commits = 50'000; ///< behind an old snapshot
};

/// A benchmark on a private server.
struct Program {
  std::string name;
  std::string description;
  std::string seconds_help; ///< of `--seconds`
  std::string rows_option;  ///< it sets `Extent::rows`
  std::string rows_help;
  std::uint64_t rows;         ///< the default
  std::uint64_t rows_at_most; ///< at least 10
  std::string quick_help;     ///< of `--quick`: 1 round, 1 s, 20,000 rows, 500 jobs, 1,000 commits

  std::function<std::vector<Row>(const example::PrivatePostgres&, const Extent&)> measure;

  /// What is measured with `--old-snapshot`; empty: there is no such option.
  std::function<std::vector<Row>(const example::PrivatePostgres&, const Extent&)> old_snapshot{};
};

/// Reads the command line, starts the server, measures, and prints the rows. Returns the exit code.
int run(const Program& program, int argc, char** argv);

} // namespace postgres_benchmarks
