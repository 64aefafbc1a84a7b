// Makes an outbox on a server: three deliveries that are owed, two dead letters, a key. Or owns one
// until its input ends.
//
// usage: postgres_sample [--hold] URL    --hold: adds nothing, and says `owned` once it owns it

#include "sample_changes.hpp"

#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  const auto holds = argc == 3 && std::string{argv[1]} == "--hold";
  if (argc != 2 && !holds)
    return 2;
  try {
    using namespace backoff_actor;
    PostgresOptions options;
    options.node = "shop 7";
    options.lease = std::chrono::minutes{5};
    const auto store = open_postgres_store(parse_postgres_address(argv[argc - 1]), options);
    if (holds) {
      std::puts("owned");
      std::fflush(stdout);
      while (std::getchar() != EOF) {
      }
    } else {
      backoffctl::fill_with_sample(*store);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "postgres_sample: %s\n", error.what());
    return 1;
  }
}
