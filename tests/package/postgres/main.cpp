// A stranger's program: what is owed, on a server that is not there, without CAF.

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <cstdio>
#include <string>

int main() {
  using namespace backoff_actor;
  // Nobody listens at that port.
  const auto address = parse_postgres_address("postgres://127.0.0.1:1/shop#orders");
  std::string result = "open";
  try {
    open_postgres_store(address);
  } catch (const StoreError& error) {
    result = to_string(error.failure());
  }
  std::printf("%s: %s\n", address.outbox.c_str(), result.c_str());
}
