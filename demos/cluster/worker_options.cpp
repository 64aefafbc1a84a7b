#include "worker_options.hpp"

#include "common/arguments.hpp"

#include <cstdlib>
#include <limits>
#include <map>
#include <stdexcept>
#include <unistd.h>

namespace cluster {

std::vector<std::string> command_of(const std::string& program, const WorkerOptions& options) {
  return {program,
          "--outbox=" + options.outbox,
          "--node=" + options.node,
          "--service=" + options.service,
          "--notes=" + options.notes,
          "--rate=" + std::to_string(options.rate),
          "--keys=" + std::to_string(options.keys),
          "--first=" + std::to_string(options.first),
          "--parent=" + std::to_string(getpid()),
          "--lease=" + backoff_actor::to_string(options.lease),
          "--work=" + backoff_actor::to_string(options.work),
          std::string{"--lives="} + (options.has_lives ? "1" : "0"),
          "--ports=" + options.ports,
          "--port=" + std::to_string(options.port)};
}

WorkerOptions read_worker_options(int argc, char** argv) {
  const std::vector<std::string> names{"--outbox", "--node",  "--service", "--notes", "--rate",
                                       "--keys",   "--first", "--parent",  "--lease", "--work",
                                       "--lives",  "--ports", "--port"};
  backoff_actor::Problems problems;
  auto given = example::read_arguments(argc, argv, names, problems);
  const auto number = [&](const char* name) {
    return example::read_number(name, given.options[name], 0,
                                std::numeric_limits<std::uint64_t>::max(), problems);
  };
  const auto duration = [&](const char* name) {
    const auto result = backoff_actor::parse_duration(given.options[name]);
    if (!result)
      problems.add(name, given.options[name], "a duration such as 1s");
    return result.value_or(backoff_actor::Duration::zero());
  };
  WorkerOptions options{.outbox = given.options["--outbox"],
                        .node = given.options["--node"],
                        .service = given.options["--service"],
                        .notes = given.options["--notes"],
                        .rate = number("--rate"),
                        .keys = number("--keys"),
                        .first = number("--first"),
                        .parent = number("--parent"),
                        .lease = duration("--lease"),
                        .work = duration("--work"),
                        .has_lives = number("--lives") != 0,
                        .ports = given.options["--ports"],
                        .port = number("--port")};
  if (const auto* const connection = std::getenv(connection_variable))
    options.connection = connection;
  else
    problems.add(connection_variable, "nothing", "the connection to the server");
  problems.raise_if_any();
  return options;
}

} // namespace cluster
