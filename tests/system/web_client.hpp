#pragma once

#include "backoff_actor/web/web_server.hpp"

#include "common/tcp_stream.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace backoff_actor::test {

/// What a server answered to one request.
struct WebAnswer {
  int status = 0;                               ///< 0: there was no answer
  std::map<std::string, std::string> headers{}; ///< the names in lower case
  std::string body{};
  TcpStream::Ending ending = TcpStream::Ending::closed;
};

inline WebAnswer web_answer_of(const TcpStream::Received& received) {
  WebAnswer result{0, {}, {}, received.ending};
  std::string_view rest = received.bytes;
  const auto take_line = [&rest] {
    const auto line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(std::min(rest.size(), line.size() + 2));
    return line;
  };
  const auto first = take_line();
  if (!first.starts_with("HTTP/1.1 ") || first.size() < 12)
    return result;
  result.status = std::stoi(std::string{first.substr(9, 3)});
  for (auto line = take_line(); !line.empty(); line = take_line()) {
    const auto colon = line.find(": ");
    std::string name{line.substr(0, colon)};
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    result.headers[name] = line.substr(colon + 2);
  }
  result.body = rest;
  return result;
}

/// Sends bytes as they are, and waits for the end.
inline WebAnswer ask_raw(std::uint16_t port, std::string_view bytes) {
  auto stream = TcpStream::connect(port);
  stream.send(bytes);
  return web_answer_of(stream.receive_all());
}

inline std::string request_for(std::string_view path, std::string_view host = "localhost",
                               std::string_view method = "GET") {
  return std::string{method}
    .append(" ")
    .append(path)
    .append(" HTTP/1.1\r\nHost: ")
    .append(host)
    .append("\r\n\r\n");
}

inline WebAnswer get(const WebServer& server, std::string_view path,
                     std::string_view host = "localhost") {
  return ask_raw(server.port(), request_for(path, host));
}

} // namespace backoff_actor::test
