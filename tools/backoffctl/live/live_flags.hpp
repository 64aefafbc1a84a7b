#pragma once

// The flags of serve, load, outage and top.
//
// The functions that declare them take two of their caller's: `add` declares a flag with a value
// (name, where it goes, the kind of value, help), `add_switch` one without (name, where it goes,
// help).

#include <optional>
#include <string>

namespace backoffctl {

/// What was given of the server, and not yet looked at.
struct ServerFlags {
  std::optional<std::string> limit{};
  std::optional<std::string> factor{};
  std::optional<std::string> scale{};
  std::optional<std::string> base_delay{};
  std::optional<std::string> backlog{};
  std::optional<std::string> abandoned_work{};
  std::optional<std::string> port{};
};

/// What was given of the clients, and not yet looked at.
struct ClientFlags {
  std::optional<std::string> clients{};
  std::optional<std::string> lambda{};
  std::optional<std::string> timeout{};
  bool exponential_backoff = false;
  std::optional<std::string> simple_backoff_delay{};
  std::optional<std::string> policy{};
  std::optional<std::string> guard{};
  bool senders = false;
  std::optional<std::string> seed{};
};

/// What was given of serve.
struct ServeFlags {
  ServerFlags server{};
  std::optional<std::string> duration{};
  bool json = false;
};

/// What was given of load.
struct LoadFlags {
  ClientFlags clients{};
  std::optional<std::string> url{};
  std::optional<std::string> every{};
  std::optional<std::string> duration{};
  bool json = false;
};

/// What was given of outage.
struct LiveOutageFlags {
  ServerFlags server{};
  ClientFlags clients{};
  std::optional<std::string> stop_for{};
  std::optional<std::string> warm_up{};
  std::optional<std::string> watch{};
  std::optional<std::string> plot{};
  bool progress = false;
  bool json = false;
  bool seconds = false;
};

/// What was given of TLS, and not yet looked at.
struct TlsFlags {
  std::optional<std::string> authority{};
  std::optional<std::string> certificate{};
  std::optional<std::string> key{};
};

/// What was given of top.
struct TopFlags {
  std::optional<std::string> url{};
  TlsFlags tls{};
  std::optional<std::string> interval{};
  std::optional<std::string> sort{};
  std::optional<std::string> filter{};
  bool json = false;
};

/// Declares the flags of the server, but for --port.
template <class Add>
void declare_server(ServerFlags& flags, Add add) {
  add("--limit", flags.limit, "N",
      "requests at once beyond which the server slows down,\n0..1000000; default 30");
  add("--factor", flags.factor, "F",
      "slowdown for each --scale requests beyond the limit,\n1..1000; default 1.05");
  add("--scale", flags.scale, "N",
      "requests for which --factor applies once,\n0.001..1000000000; default 15");
  add("--base-delay", flags.base_delay, "SPAN",
      "the shortest time that a request takes, 1ns..24h;\ndefault 100ms");
  add("--backlog", flags.backlog, "N",
      "the most connections that wait to be accepted, 1..1000000;\ndefault 4096; the kernel's "
      "net.core.somaxconn may\nlimit it further");
  add("--abandoned-work", flags.abandoned_work, "kept|dropped",
      "requests whose clients left are kept or dropped;\ndefault kept");
}

/// Declares the flags of the clients.
template <class Add, class AddSwitch>
void declare_clients(ClientFlags& flags, Add add, AddSwitch add_switch) {
  add("--clients", flags.clients, "N", "number of clients, 1..100000; default 1000");
  add("--lambda", flags.lambda, "SPAN",
      "mean time that a client thinks before each new call; a\nplain number is in seconds, as in "
      "the article, 1ms..24h;\ndefault 10s");
  add("--timeout", flags.timeout, "SPAN",
      "how long a client waits for an answer, 1ms..24h; default 2s");
  add_switch("--exponential-backoff", flags.exponential_backoff,
             "retry like the published client; the same as\n--policy smira_as_shipped");
  add("--simple-backoff-delay", flags.simple_backoff_delay, "SPAN",
      "retry after a fixed delay, 1ns..24h; default 100ms");
  add("--policy", flags.policy, "POLICY",
      "retry with a policy of backoffctl plan --help, or with\nsmira_as_shipped");
  add("--guard", flags.guard, "GUARD",
      "a guard that all clients share, such as\n'circuit_breaker(5 failures, open 5s)'; default "
      "none");
  add_switch("--senders", flags.senders, "make each client an actor with its own BackOffSender");
  add("--seed", flags.seed, "S", "seed of the random numbers, 0..18446744073709551615;\ndefault 0");
}

/// Declares the flags of serve.
template <class Add, class AddSwitch>
void declare_serve(ServeFlags& flags, Add add, AddSwitch add_switch) {
  declare_server(flags.server, add);
  add("--port", flags.server.port, "PORT",
      "port on 127.0.0.1, 0..65535; default 8070; 0 takes any free\nport");
  add("--duration", flags.duration, "SPAN", "end after this time, 1ms..24h; default never");
  add_switch("--json", flags.json, "print JSON, one object per line, instead of text");
}

/// Declares the flags of load.
template <class Add, class AddSwitch>
void declare_load(LoadFlags& flags, Add add, AddSwitch add_switch) {
  declare_clients(flags.clients, add, add_switch);
  add("--url", flags.url, "URL", "the URL to call; default http://127.0.0.1:8070/api");
  add("--every", flags.every, "SPAN", "time from one line to the next, 10ms..24h; default 5s");
  add("--duration", flags.duration, "SPAN", "end after this time, 1ms..24h; default never");
  add_switch("--json", flags.json, "print JSON, one object per line, instead of text");
}

/// Declares the flags of outage.
template <class Add, class AddSwitch>
void declare_live_outage(LiveOutageFlags& flags, Add add, AddSwitch add_switch) {
  add("--stop-for", flags.stop_for, "SPAN",
      "how long the server is stopped, 100ms..24h; default 20s");
  add("--warm-up", flags.warm_up, "SPAN",
      "the shortest time before the outage, 2s..24h; default 15s");
  add("--watch", flags.watch, "SPAN",
      "how long to watch after the outage, 1min..24h;\ndefault 1min");
  declare_clients(flags.clients, add, add_switch);
  declare_server(flags.server, add);
  add("--port", flags.server.port, "PORT", "port on 127.0.0.1; default any free port");
  add("--plot", flags.plot, "FILE",
      "also draw the run with gnuplot, to a file whose name\nends in .svg or .png");
  add_switch("--progress", flags.progress, "show a progress line even if stderr is not a terminal");
  add_switch("--json", flags.json, "print JSON instead of text");
  add_switch("--seconds", flags.seconds, "with --json: also print what happened in each second");
}

/// Declares the flags of top.
template <class Add, class AddSwitch>
void declare_top(TopFlags& flags, Add add, AddSwitch add_switch) {
  add("URL", flags.url, "",
      "where the program serves its pages, by http or https;\ndefault http://127.0.0.1:9464");
  add("--interval", flags.interval, "SPAN",
      "on a terminal: time from one look to the next,\n100ms..24h; default 1s");
  add("--sort", flags.sort, "ORDER",
      "sort senders by: oldest, owed, rate, failures or name;\ndefault oldest");
  add("--filter", flags.filter, "TEXT",
      "only what has this text: senders in their name, state or\nreason, others in their name");
  add(
    "--authority", flags.tls.authority, "FILE",
    "with https: certificates of authorities, one of which\nsigned the server's; default those of "
    "this machine");
  add("--certificate", flags.tls.certificate, "FILE",
      "with https: your certificate, if the server wants one");
  add("--key", flags.tls.key, "FILE", "with https: the key of --certificate");
  add_switch("--json", flags.json, "print the program's status as JSON, once, instead of tables");
}

} // namespace backoffctl
