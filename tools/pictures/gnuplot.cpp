#include "gnuplot.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern "C" char** environ; // NOLINT: POSIX wants it declared by the user

namespace pictures {

namespace {

// Files without a name: unlike pipes they take all of it, in any order, and leave nothing behind.
using NamelessFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error{what + ": " + std::generic_category().message(error)};
}

NamelessFile nameless_file(const std::string& content) {
  NamelessFile file{std::tmpfile(), &std::fclose};
  if (!file)
    fail("the temporary folder cannot be written to", errno);
  if (std::fwrite(content.data(), 1, content.size(), file.get()) != content.size()
      || std::fflush(file.get()) != 0)
    fail("the temporary folder cannot be written to", errno);
  std::rewind(file.get());
  return file;
}

std::string content_of(const NamelessFile& file) {
  std::string result;
  char buffer[4096];
  std::rewind(file.get());
  while (const auto count = std::fread(buffer, 1, sizeof buffer, file.get()))
    result.append(buffer, count);
  return result;
}

pid_t start_gnuplot(const NamelessFile& in, const NamelessFile& out, const NamelessFile& err) {
  std::string program = "gnuplot";
  std::string no_settings_of_the_user = "-d";
  char* arguments[] = {program.data(), no_settings_of_the_user.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), STDERR_FILENO);
  pid_t child = 0;
  const auto error = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    throw std::runtime_error{
      "gnuplot is not installed. To install it: apt-get install gnuplot-nox"};
  if (error != 0)
    fail("gnuplot cannot be started", error);
  return child;
}

// By the end of an SVG or a PNG. gnuplot itself does not notice that it cannot write.
bool is_whole(const std::string& picture) {
  constexpr auto end_of_svg = "</svg>";
  constexpr auto end_of_png = "IEND\xae\x42\x60\x82";
  const auto end = picture.find_last_not_of("\r\n ");
  return end != std::string::npos
         && (picture.ends_with(end_of_png) || picture.substr(0, end + 1).ends_with(end_of_svg));
}

// -- the caption ----------------------------------------------------------------------------

std::string escaped(const std::string& text) {
  std::string result;
  for (const auto c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    default:
      result += c;
    }
  return result;
}

void drop_names_of_curves(std::string& svg) {
  constexpr std::string_view begin = "<title>gnuplot_plot_";
  constexpr std::string_view end = "</title>";
  for (auto at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at))
    svg.erase(at, svg.find(end, at) + end.size() - at);
}

} // namespace

std::string run_gnuplot(const std::string& script) {
  const auto in = nameless_file(script);
  const auto out = nameless_file({});
  const auto err = nameless_file({});
  const auto child = start_gnuplot(in, out, err);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      fail("cannot wait for gnuplot", errno);
  if (!WIFEXITED(status))
    throw std::runtime_error{"gnuplot was ended by signal " + std::to_string(WTERMSIG(status))};
  if (WEXITSTATUS(status) != 0)
    throw std::runtime_error{"gnuplot failed:\n" + content_of(err)};
  auto picture = content_of(out);
  if (!is_whole(picture))
    throw std::runtime_error{"gnuplot's picture is incomplete; is the temporary folder full?"};
  return picture;
}

std::string captioned(std::string picture, const std::string& title,
                      const std::string& description) {
  if (!picture.starts_with("<?xml"))
    return picture;
  constexpr std::string_view last = "</desc>";
  const auto begin = picture.find("<title>");
  const auto end = picture.find(last, begin);
  if (begin == std::string::npos || end == std::string::npos)
    return picture;
  picture.replace(begin, end + last.size() - begin,
                  "<title>" + escaped(title) + "</title>\n<desc>" + escaped(description)
                    + "</desc>");
  drop_names_of_curves(picture);
  return picture;
}

std::string drawn(const Picture& picture) {
  return captioned(run_gnuplot(picture.script), picture.title, picture.description);
}

} // namespace pictures
