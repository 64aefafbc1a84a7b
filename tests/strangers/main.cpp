// strangers: a node and a sender at work, while strangers come to the node's port.
//
// The node is a process of its own. First a hundred good handshakes a second come, then as many bad
// connections of all kinds. Prints for both how long requests took, and what the node's memory and
// descriptors did. Is a test with few connections; the figures need many.

#include "common/becomes_true.hpp"
#include "common/certificates.hpp"
#include "common/frames.hpp"
#include "common/tcp_stream.hpp"
#include "common/tls_client.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/remote/listen.hpp>
#include <backoff_actor/caf/remote/network.hpp>
#include <backoff_actor/caf/remote/remote_child.hpp>

#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace backoff_actor;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using test::TcpStream;
using test::TlsClient;

void require(bool holds, const std::string& what) {
  if (!holds)
    throw std::runtime_error(what);
}

// A busy machine must not be taken for a failed one.
NetworkOptions calm() {
  return {.heartbeat_interval = 500ms, .connection_timeout = test::patience};
}

// -- certificates -------------------------------------------------------------------

struct Certificates {
  Certificates() { ours.write(folder.path_of("authority.pem")); }

  Tls issue(const std::string& name, test::CertificateWish wish, const test::Authority& signer) {
    wish.subject = name;
    return test::issue_to_node(folder, name, wish, signer);
  }

  test::CertificateFolder folder;
  test::Authority ours{"our authority"};
  test::Authority others{"another authority"};
  Tls node = issue("node", {.names = {"127.0.0.1", "node"}}, ours);
  Tls sender = issue("sender", {.names = {"sender"}}, ours);
  Tls other_authority = issue("other", {.names = {"sender"}}, others);
  Tls expired = issue("expired", {.names = {"sender"}, .from = -2h, .until = -1h}, ours);
  Tls other_name = issue("name", {.names = {"mail"}}, ours);
};

// -- the node -----------------------------------------------------------------------

class Echo : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](std::uint64_t number) { return number; }};
  }
};

// A process with a node, from before this one has threads.
class NodeProcess {
public:
  explicit NodeProcess(const Tls& tls) {
    std::array<int, 2> up{};
    std::array<int, 2> down{};
    require(pipe(up.data()) == 0 && pipe(down.data()) == 0, "no pipe");
    process_ = fork();
    require(process_ >= 0, "no process");
    if (process_ == 0) {
      close(down[1]);
      run(tls, up[1], down[0]);
    }
    close(up[1]);
    close(down[0]);
    keep_alive_ = net::Descriptor{down[1]};
    const net::Descriptor port{up[0]};
    require(read(port.get(), &port_, sizeof(port_)) == sizeof(port_), "the node does not start");
  }
  NodeProcess(const NodeProcess&) = delete;
  NodeProcess& operator=(const NodeProcess&) = delete;
  ~NodeProcess() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  std::uint16_t port() const { return port_; }
  bool lives() const { return kill(process_, 0) == 0 && waitpid(process_, nullptr, WNOHANG) == 0; }

  long resident_kib() const {
    std::ifstream status{"/proc/" + std::to_string(process_) + "/status"};
    std::string word;
    while (status >> word)
      if (word == "VmRSS:") {
        long result = 0;
        status >> result;
        return result;
      }
    return -1;
  }

  long descriptors() const {
    return std::distance(
      std::filesystem::directory_iterator{"/proc/" + std::to_string(process_) + "/fd"},
      std::filesystem::directory_iterator{});
  }

private:
  [[noreturn]] static void run(const Tls& tls, int up, int down) {
    try {
      caf::actor_system_config config;
      auto options = calm();
      options.tls = tls;
      options.tls->names = {"sender"};
      options.on_event = [](const NetworkEvent&) {};
      init_network(config, options);
      caf::actor_system system{config};
      const auto listener = listen(system, {.published = system.spawn<Echo>()});
      const auto port = listener.port();
      require(write(up, &port, sizeof(port)) == sizeof(port), "nobody hears the node");
      char ignored = 0;
      while (read(down, &ignored, 1) > 0) {
      }
      std::_Exit(0);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "node: %s\n", error.what());
      std::_Exit(1);
    }
  }

  pid_t process_ = 0;
  net::Descriptor keep_alive_;
  std::uint16_t port_ = 0;
};

// -- strangers ----------------------------------------------------------------------

TlsClient::Prepare with(const Tls& tls) {
  return [&tls](SSL_CTX* context) {
    SSL_CTX_use_certificate_chain_file(context, tls.certificate.c_str());
    SSL_CTX_use_PrivateKey_file(context, tls.key.c_str(), SSL_FILETYPE_PEM);
  };
}

// Those who come, one after the other. Some stay open for a while.
class Strangers {
public:
  Strangers(std::uint16_t port, const Certificates& certificates)
    : port_(port), certificates_(&certificates) {}

  // Those who stay go.
  void go() { staying_.clear(); }

  static constexpr std::size_t kinds = 11;

  void come(std::size_t number) {
    switch (number % kinds) {
    case 0:
      return send(test::frame({.size = 3}));
    case 1:
      return send(test::bytes_of({.size = 16'777'217}));
    case 2:
      return send(std::string(150'000, 'j'));
    case 3: // silent
      return stay(TcpStream::connect(port_));
    case 4: // a program with CAF alone
      return send(test::client_greeting());
    case 5:
      return shake_hands(with(certificates_->other_authority));
    case 6:
      return shake_hands(with(certificates_->expired));
    case 7:
      return shake_hands(with(certificates_->other_name));
    case 8: // TLS 1.1
      return shake_hands([](SSL_CTX* context) {
        SSL_CTX_set_min_proto_version(context, TLS1_1_VERSION);
        SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
      });
    case 9:
      return want_new_keys();
    default: { // a slow handshake
      auto stream = TcpStream::connect(port_);
      stream.send(std::string{"\x16\x03\x01\x02\x00", 5}, 100ms);
      return stay(std::move(stream));
    }
    }
  }

  // One who may connect, and goes again.
  void come_well() { shake_hands(with(certificates_->sender)); }

private:
  void send(const std::string& bytes) {
    auto stream = TcpStream::connect(port_);
    stream.send(bytes, 100ms);
  }

  void stay(TcpStream stream) {
    staying_.push_back(std::move(stream));
    for (auto& x : staying_)
      x.send("x", 1ms); // of no use to the silent ones either
    if (staying_.size() > 100)
      staying_.pop_front();
  }

  void shake_hands(const TlsClient::Prepare& prepare) {
    TlsClient client{port_, prepare};
    client.shakes_hands(1s);
  }

  // Renegotiation, as far as TLS 1.3 has any.
  void want_new_keys() {
    TlsClient client{port_, with(certificates_->sender)};
    if (!client.shakes_hands(1s))
      return;
    for (int i = 0; i != 100; ++i)
      if (SSL_key_update(client.ssl(), SSL_KEY_UPDATE_REQUESTED) != 1
          || SSL_do_handshake(client.ssl()) != 1)
        return;
  }

  std::uint16_t port_;
  const Certificates* certificates_;
  std::deque<TcpStream> staying_;
};

// -- the sender's requests ----------------------------------------------------------

struct Outcome {
  std::size_t asked = 0;
  std::size_t lost = 0;
  double median_ms = 0;
  double p99_ms = 0;
};

// Asks every five milliseconds until it is told to end.
Outcome ask(caf::actor_system& system, const caf::actor& sender, const std::atomic<bool>& is_over) {
  Outcome result;
  std::vector<double> took;
  caf::scoped_actor self{system};
  for (auto next = Clock::now(); !is_over; next = std::max(next + 5ms, Clock::now())) {
    std::this_thread::sleep_until(next);
    const auto begin = Clock::now();
    const std::uint64_t number = result.asked++;
    self->request(sender, caf::timespan{test::patience}, number)
      .receive([&](std::uint64_t answer) { result.lost += answer == number ? 0 : 1; },
               [&](const caf::error&) { ++result.lost; });
    took.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::ranges::sort(took);
  if (!took.empty()) {
    result.median_ms = took[took.size() / 2];
    result.p99_ms = took[took.size() * 99 / 100];
  }
  return result;
}

// AddressSanitizer keeps what was freed for a while.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool memory_counts = false;
#elif defined(__has_feature)
constexpr bool memory_counts = !__has_feature(address_sanitizer);
#else
constexpr bool memory_counts = true;
#endif

struct Options {
  std::size_t connections = 500;
  std::size_t rate = 100; // a second
};

Outcome phase(const Options& options, caf::actor_system& system, const caf::actor& sender,
              const std::function<void(std::size_t)>& come) {
  std::atomic<bool> is_over = false;
  Outcome result;
  std::thread asking{[&] { result = ask(system, sender, is_over); }};
  const auto begin = Clock::now();
  for (std::size_t i = 0; i != options.connections; ++i) {
    std::this_thread::sleep_until(begin + i * 1s / options.rate);
    try {
      come(i);
    } catch (const std::system_error&) { // it may be refused at once
    }
  }
  is_over = true;
  asking.join();
  return result;
}

std::string text_of(const char* what, const Outcome& x) {
  char line[200];
  std::snprintf(line, sizeof(line), "%s: %zu requests, lost %zu, median %.2f ms, p99 %.2f ms", what,
                x.asked, x.lost, x.median_ms, x.p99_ms);
  return line;
}

int run(const Options& options) {
  std::signal(SIGPIPE, SIG_IGN);
  Certificates certificates;
  const NodeProcess node{certificates.node};
  caf::actor_system_config config;
  auto network = calm();
  network.tls = certificates.sender;
  network.tls->names = {"node"};
  init_network(config, network);
  std::atomic<std::size_t> ends = 0; // outlives the sender, which ends with the actor system
  caf::actor_system system{config};
  SenderOptions sender_options;
  sender_options.ack_timeout = test::patience;
  sender_options.on_event = [&](const Event& event) {
    ends += std::holds_alternative<event::ChildDown>(event) ? 1 : 0;
  };
  const auto sender =
    spawn_back_off_sender(system, remote_child({{"127.0.0.1", node.port()}}), sender_options);

  Strangers strangers{node.port(), certificates};
  const auto good = phase(options, system, sender, [&](std::size_t) { strangers.come_well(); });
  std::this_thread::sleep_for(500ms);
  const auto memory = node.resident_kib();
  const auto descriptors = node.descriptors();
  const auto ends_before = ends.load();
  const auto bad = phase(options, system, sender, [&](std::size_t i) { strangers.come(i); });
  strangers.go();
  test::becomes_true([&] { return node.descriptors() <= descriptors; });
  const auto grown = node.resident_kib() - memory;
  const auto more_descriptors = node.descriptors() - descriptors;
  const auto lives = node.lives();
  caf::anon_send_exit(sender, caf::exit_reason::kill);

  std::cout << text_of("good handshakes", good) << '\n'
            << text_of("bad connections", bad) << '\n'
            << "p99 " << bad.p99_ms / good.p99_ms << " times that with good handshakes\n"
            << "the node's memory grew by " << grown << " KiB, its descriptors by "
            << more_descriptors << ", the sender lost its child " << ends.load() - ends_before
            << " times\n";
  const auto holds = lives && good.lost == 0 && bad.lost == 0
                     && (grown <= 32 * 1024 || !memory_counts) && more_descriptors <= 0
                     && ends == ends_before;
  std::cout << (holds ? "the node lives, and nothing is lost" : "strangers have done harm")
            << std::endl;
  return holds ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  if (argc == 3 && std::atoi(argv[1]) > 0 && std::atoi(argv[2]) > 0) {
    options.connections = static_cast<std::size_t>(std::atoi(argv[1]));
    options.rate = static_cast<std::size_t>(std::atoi(argv[2]));
  } else if (argc != 1) {
    std::cerr << "usage: strangers [CONNECTIONS RATE]   default 500 connections, 100 a second\n";
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::cerr << "strangers: " << error.what() << '\n';
    return 1;
  }
}
