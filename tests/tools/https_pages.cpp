// Serves pages by HTTPS until its input ends, twice: to everybody, and to who has a certificate of
// the authority. Prints both ports.
//
// usage: https_pages FOLDER    FOLDER: has page.pem, page.key and authority.pem

#include "backoff_actor/web/web_server.hpp"

#include <cstdio>
#include <exception>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2)
    return 2;
  try {
    using namespace backoff_actor;
    const std::string folder = argv[1];
    const Observatory observatory;
    WebOptions options;
    options.port = 0;
    options.tls = Tls{folder + "/page.pem", folder + "/page.key"};
    const WebServer for_all{observatory, options};
    options.tls->authority = folder + "/authority.pem";
    const WebServer for_some{observatory, options};
    std::printf("%d %d\n", int{for_all.port()}, int{for_some.port()});
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "https_pages: %s\n", error.what());
    return 1;
  }
}
