// Clients by HTTPS that do anything at any time: what they leave behind.

#include "backoff_actor/web/web_server.hpp"

#include "common/becomes_true.hpp"
#include "common/certificates.hpp"
#include "common/patience.hpp"
#include "common/seeds.hpp"
#include "common/tls_client.hpp"
#include "system/web_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace backoff_actor::web_tls_walk_test {

namespace {

using namespace std::chrono_literals;
using test::becomes_true;
using test::request_for;
using test::TcpStream;
using test::TlsClient;
using ::testing::StartsWith;

constexpr int most_connections = 128;
constexpr std::size_t most_clients = 200; // a few more if several come at once
constexpr int steps = 1000;

std::ptrdiff_t descriptors() {
  const std::filesystem::directory_iterator all{"/proc/self/fd"};
  return std::distance(begin(all), end(all));
}

// What is below the client's TLS: its own bytes, and its reset.
TcpStream stream_below(const TlsClient& client) {
  return TcpStream{net::Descriptor{dup(SSL_get_fd(client.ssl()))}};
}

class Walk {
public:
  explicit Walk(std::uint64_t seed) : random_(seed) {
    authority_.write(folder_.path_of("authority.pem"));
    options_.port = 0;
    options_.tls = issue_to_node(folder_, "server", {.subject = "server"}, authority_);
    options_.tls->authority.clear();
    options_.more_metrics = [] { return std::string(300'000, 'x'); };
    options_.on_network_event = [this](const NetworkEvent& event) {
      if (event.kind == NetworkEvent::Kind::refused && !event.peer.starts_with("127.0.0.1:"))
        ++nameless_;
    };
    server_ = std::make_unique<WebServer>(Observatory{}, options_);
    before_ = descriptors();
  }

  void take_step() {
    const auto what = below(100);
    if (clients_.empty() || (what < 20 && clients_.size() < most_clients))
      for (auto more = below(6) + 1; more != 0; --more)
        come();
    else if (what < 21)
      change_files();
    else
      act(clients_[below(clients_.size())], what);
    std::erase_if(clients_, [](const Client& client) { return client.tls == nullptr; });
  }

  bool answers() const {
    const auto client = connect();
    return client->shakes_hands() && client->send(request_for("/healthz"))
           && client->receive_until({}).starts_with("HTTP/1.1 200 ");
  }

  // Connections that the server has, and whatever else has been opened since it began.
  std::ptrdiff_t held() const { return descriptors() - before_ - std::ssize(clients_); }

  void end_all() { clients_.clear(); }
  int nameless_refusals() const { return nameless_; }

private:
  struct Client {
    std::unique_ptr<TlsClient> tls; // none: it has gone
    std::string request{};          // what it has not sent yet
    bool has_shaken = false;
  };

  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }

  std::unique_ptr<TlsClient> connect() const {
    return std::make_unique<TlsClient>(server_->port(), [this](SSL_CTX* context) {
      SSL_CTX_load_verify_locations(context, folder_.path_of("authority.pem").c_str(), nullptr);
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    });
  }

  void come() {
    constexpr std::string_view pages[] = {"/healthz", "/metrics", "/",        "/status",
                                          "/events",  "/events",  "/nowhere", "/letters"};
    auto request =
      request_for(pages[below(std::size(pages))], "localhost", below(10) == 0 ? "POST" : "GET");
    if (below(10) == 0)
      request.insert(request.size() - 2, "X-Large: " + std::string(below(20'000), 'x') + "\r\n");
    clients_.push_back({connect(), std::move(request)});
  }

  void act(Client& client, std::size_t what) {
    auto& tls = *client.tls;
    if (what < 24)
      tls.shakes_hands(0ms); // it has said hello, or a little more
    else if (what < 26)
      stream_below(tls).send(request_for("/healthz"));
    else if (what < 28)
      stream_below(tls).send(noise());
    else if (what < 31)
      end_by_reset(client);
    else if (what < 36)
      client.tls = nullptr;
    else if (!client.has_shaken)
      client.has_shaken = tls.shakes_hands(what < 45 ? 1ms : test::patience);
    else if (!client.request.empty())
      send_piece(client);
    else if (what < 90)
      read_some(client);
  }

  std::string noise() {
    std::string result(below(300), '\0');
    for (auto& c : result)
      c = static_cast<char>(random_());
    return result;
  }

  static void end_by_reset(Client& client) {
    auto stream = stream_below(*client.tls);
    stream.end_by_reset();
    client.tls = nullptr;
  }

  void send_piece(Client& client) {
    const auto size = 1 + below(client.request.size());
    if (!client.tls->send(client.request.substr(0, size)))
      client.tls = nullptr;
    client.request.erase(0, size);
  }

  // A watcher may have nothing to read.
  void read_some(Client& client) {
    std::string bytes(1 + below(50'000), '\0');
    ERR_clear_error();
    const auto* const ssl = client.tls->ssl();
    const auto count = SSL_read(client.tls->ssl(), bytes.data(), static_cast<int>(bytes.size()));
    if (count <= 0 && SSL_get_error(ssl, count) != SSL_ERROR_WANT_READ)
      client.tls = nullptr;
  }

  void change_files() {
    if (below(2) == 0)
      issue_to_node(folder_, "server", {.subject = "next server"}, authority_);
    else
      std::ofstream{options_.tls->certificate} << "nonsense";
  }

  std::mt19937_64 random_;
  test::CertificateFolder folder_;
  test::Authority authority_{"our authority"};
  WebOptions options_;
  std::atomic<int> nameless_ = 0;
  std::unique_ptr<WebServer> server_;
  std::ptrdiff_t before_ = 0;
  std::vector<Client> clients_;
};

} // namespace

TEST(web_tls_walk, leaves_a_server_that_answers_and_no_descriptor) {
  std::signal(SIGPIPE, SIG_IGN); // the clients' OpenSSL raises it
  for (const auto seed : test::seeds(2)) {
    SCOPED_TRACE("BACKOFF_ACTOR_SEED=" + std::to_string(seed));
    Walk walk{seed};
    for (auto i = 0; i != steps; ++i) {
      walk.take_step();
      if (i % 100 == 0) {
        ASSERT_TRUE(walk.answers()) << "after step " << i;
      }
      // While one is let in, another may have to go. Who asks last is let in last: when it has its
      // answer, all others have gone that had to.
      if (walk.held() > most_connections) {
        ASSERT_TRUE(walk.answers()) << "after step " << i;
        ASSERT_LE(walk.held(), most_connections) << "after step " << i;
      }
    }
    EXPECT_TRUE(walk.answers());
    walk.end_all();
    EXPECT_TRUE(becomes_true([&] { return walk.held() == 0; })) << walk.held() << " are left";
    EXPECT_TRUE(walk.answers());
    EXPECT_EQ(walk.nameless_refusals(), 0);
  }
}

} // namespace backoff_actor::web_tls_walk_test
