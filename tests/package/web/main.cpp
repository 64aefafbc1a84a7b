// A stranger's program: it serves what it sees, without CAF.

#include <backoff_actor/web/web_server.hpp>

#include <cstdio>

int main() {
  using namespace backoff_actor;
  const Observatory observatory;
  WebOptions options;
  options.port = 0;
  const WebServer server{observatory, options};
  std::puts(server.port() != 0 ? "it serves" : "it does not serve");
}
