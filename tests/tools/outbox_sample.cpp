// Makes the file of a durable outbox: three deliveries that are owed, two dead letters, a key.
//
// usage: outbox_sample FILE

#include "sample_changes.hpp"

#include "backoff_actor/store/sqlite_store.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2)
    return 2;
  try {
    backoffctl::fill_with_sample(*backoff_actor::open_sqlite_store(argv[1]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "outbox_sample: %s\n", error.what());
    return 1;
  }
}
