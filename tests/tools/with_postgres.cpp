// Runs a command beside a private server of PostgreSQL, and ends with its code, or with 77 where
// PostgreSQL is not installed. Its environment leads libpq to the server, whatever host a URL has.
//
// usage: with_postgres COMMAND [ARGUMENT ...]

#include "common/private_postgres.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int run(char** command) {
  const auto child = fork();
  if (child == 0) {
    execvp(command[0], command);
    std::perror(command[0]);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void put(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

} // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    return 2;
  if (!example::PrivatePostgres::is_installed()) {
    std::puts("skipped: PostgreSQL is not installed");
    return 77;
  }
  try {
    // Whoever is called `secret` must have a password, the others need none.
    const example::PrivatePostgres server{
      {.access = {"host all secret 127.0.0.1/32 scram-sha-256"}}};
    put("PGHOSTADDR", "127.0.0.1");
    put("PGPORT", std::to_string(server.port()));
    put("PATH", example::PrivatePostgres::programs().string() + ":" + std::getenv("PATH"));
    return run(argv + 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "with_postgres: %s\n", error.what());
    return 1;
  }
}
