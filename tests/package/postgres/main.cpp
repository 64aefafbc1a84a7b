// A stranger's program: what is owed, on a server that is not there, without CAF.

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <cstdio>

int main() {
  using namespace backoff_actor;
  const auto address = parse_postgres_address("postgres://127.0.0.1:1/shop#orders"); // nobody listens
  try {
    open_postgres_store(address);
    std::printf("%s is open\n", address.outbox.c_str());
  } catch (const StoreError& error) {
    std::printf("%s: %s\n", address.outbox.c_str(), std::string{to_string(error.failure())}.c_str());
  }
}
