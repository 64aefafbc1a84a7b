#include "common/private_postgres.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <iterator>
#include <optional>
#include <pwd.h>
#include <stdexcept>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace example {

namespace {

// Recovery syncs all files, which takes its time on a busy disk.
constexpr std::chrono::minutes start_limit{3};
constexpr std::chrono::milliseconds look_interval{5};

struct ServerUser {
  uid_t user = 0;
  gid_t group = 0;
};

// Whom the server runs as; nothing: nobody here may run it.
std::optional<ServerUser> server_user() {
  if (geteuid() != 0)
    return ServerUser{geteuid(), getegid()};
  // Several threads may ask, but getpwnam has one answer for all of them.
  static const auto postgres = []() -> std::optional<ServerUser> {
    const auto* const found = getpwnam("postgres");
    if (found == nullptr)
      return std::nullopt;
    return ServerUser{found->pw_uid, found->pw_gid};
  }();
  return postgres;
}

bool has_all(const std::filesystem::path& folder) {
  for (const auto* const program : {"initdb", "postgres", "psql"})
    if (access((folder / program).c_str(), X_OK) != 0)
      return false;
  return true;
}

std::filesystem::path in_path() {
  const auto* const all = std::getenv("PATH");
  std::string_view rest = all == nullptr ? "" : all;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    const std::filesystem::path folder = rest.substr(0, end);
    std::error_code error;
    // The programs may be links to a folder that holds all of them.
    if (const auto program = std::filesystem::canonical(folder / "initdb", error);
        !error && has_all(program.parent_path()))
      return program.parent_path();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

std::filesystem::path of_pg_config() {
  const auto pipe = popen("pg_config --bindir 2>/dev/null", "r"); // NOLINT(cert-env33-c)
  if (pipe == nullptr)
    return {};
  std::array<char, 4096> text{};
  const auto size = fread(text.data(), 1, text.size(), pipe);
  pclose(pipe);
  std::filesystem::path folder =
    std::string_view{text.data(), size}.substr(0, std::string_view{text.data(), size}.find('\n'));
  return has_all(folder) ? folder : std::filesystem::path{};
}

std::filesystem::path newest_of_debian() {
  std::filesystem::path result;
  int newest = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator{"/usr/lib/postgresql", ignored}) {
    const auto name = entry.path().filename().string();
    int version = 0;
    std::from_chars(name.data(), name.data() + name.size(), version);
    if (version > newest && has_all(entry.path() / "bin")) {
      newest = version;
      result = entry.path() / "bin";
    }
  }
  return result;
}

// Starts a program as the server's user. Its input is empty, its output goes to the end of `log`.
// Between fork and exec it calls the kernel directly: the library's own functions may wait for a
// thread that the new process does not have.
pid_t start_program(const std::vector<std::string>& command, const std::string& log, int output) {
  const auto user = *server_user();
  const bool changes_user = user.user != geteuid();
  std::vector<char*> arguments;
  for (const auto& one : command)
    arguments.push_back(const_cast<char*>(one.c_str())); // execve changes nothing
  arguments.push_back(nullptr);
  std::array<char*, 4> environment{const_cast<char*>("LC_ALL=C"), const_cast<char*>("TZ=UTC"),
                                   const_cast<char*>("PGCONNECT_TIMEOUT=10"), nullptr};
  const auto parent = getpid();
  const auto id = fork();
  if (id < 0)
    throw std::system_error(errno, std::generic_category(), "cannot start " + command[0]);
  if (id > 0)
    return id;
  syscall(SYS_setpgid, 0, 0);
  if (changes_user
      && (syscall(SYS_setgroups, 0, nullptr) != 0
          || syscall(SYS_setresgid, user.group, user.group, user.group) != 0
          || syscall(SYS_setresuid, user.user, user.user, user.user) != 0))
    _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (getppid() != parent)
    _exit(126);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int number = 1; number < NSIG; ++number)
    signal(number, SIG_DFL);
  const int input = open("/dev/null", O_RDONLY);
  const int file = open(log.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (input < 0 || file < 0 || chdir("/") != 0)
    _exit(126);
  dup2(input, STDIN_FILENO);
  dup2(output < 0 ? file : output, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  syscall(SYS_close_range, 3U, ~0U, 0U);
  execve(arguments[0], arguments.data(), environment.data());
  _exit(127);
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR)
      return 0;
  return status;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const auto one : text)
    result.append(one == '\'' ? 2 : 1, one);
  return result + "'";
}

void give_to_server(const std::filesystem::path& folder) {
  const auto user = *server_user();
  if (user.user != geteuid() && chown(folder.c_str(), user.user, user.group) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot give away " + folder.string());
}

} // namespace

bool PrivatePostgres::is_installed() { return !programs().empty() && server_user().has_value(); }

std::filesystem::path PrivatePostgres::programs() {
  for (const auto look : {in_path, of_pg_config, newest_of_debian})
    if (auto found = look(); !found.empty())
      return found;
  return {};
}

PrivatePostgres::PrivatePostgres(PrivatePostgresOptions options)
  : programs_(programs()),
    data_(options.data.empty() ? folder_ / "data" : std::move(options.data)) {
  if (!is_installed())
    throw std::runtime_error("PostgreSQL is not installed, or there is no user postgres");
  std::filesystem::create_directories(data_);
  give_to_server(folder_.path());
  give_to_server(data_);
  const auto log = (folder_ / "log").string();
  const auto made = wait_for(
    start_program({programs_ / "initdb", "--pgdata=" + data_.string(), "--username=postgres",
                   "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"},
                  log, -1));
  if (made != 0)
    throw std::runtime_error("initdb failed: " + log_end());
  std::ofstream settings{data_ / "postgresql.conf", std::ios::app};
  settings << "listen_addresses = '127.0.0.1'\nport = " << port()
           << "\nunix_socket_directories = " << quoted(folder_.path().string())
           << "\nlog_line_prefix = '%m [%p] %a '\n";
  for (const auto& [name, value] : options.settings)
    settings << name << " = " << quoted(value) << '\n';
  settings.close();
  if (!options.access.empty()) {
    std::ofstream access{data_ / "pg_hba.conf", std::ios::trunc};
    for (const auto& line : options.access)
      access << line << '\n';
    access << "local all all trust\nhost all all 127.0.0.1/32 trust\n"
              "local replication all trust\nhost replication all 127.0.0.1/32 trust\n";
  }
  start();
}

PrivatePostgres::~PrivatePostgres() {
  try {
    stop(Stop::immediate);
  } catch (...) {
    // Its end was asked for; there is nobody to tell.
  }
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator{data_, ignored})
    std::filesystem::remove_all(entry.path(), ignored);
}

std::string PrivatePostgres::connection(const std::string& database) const {
  return "host=127.0.0.1 port=" + std::to_string(port()) + " user=postgres dbname=" + database;
}

std::string PrivatePostgres::socket_connection(const std::string& database) const {
  return "host=" + folder_.path().string() + " port=" + std::to_string(port())
         + " user=postgres dbname=" + database;
}

std::string PrivatePostgres::url(const std::string& database) const {
  return "postgres://postgres@127.0.0.1:" + std::to_string(port()) + "/" + database;
}

std::string PrivatePostgres::query(const std::string& statements,
                                   const std::string& database) const {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  FileDescriptor from{ends[0]};
  pid_t process = -1;
  {
    FileDescriptor to{ends[1]};
    process = start_program({programs_ / "psql", "--no-psqlrc", "--no-align", "--tuples-only",
                             "--quiet", "--set=ON_ERROR_STOP=1",
                             "--dbname=" + socket_connection(database), "--command=" + statements},
                            (folder_ / "log").string(), to.get());
  }
  std::string result;
  std::array<char, 4096> part{};
  for (;;) {
    const auto size = read(from.get(), part.data(), part.size());
    if (size > 0)
      result.append(part.data(), static_cast<std::size_t>(size));
    else if (size == 0 || errno != EINTR)
      break;
  }
  if (wait_for(process) != 0)
    throw std::runtime_error("psql failed: " + log_end());
  return result;
}

void PrivatePostgres::stop(Stop how) {
  if (process_ < 0)
    return;
  kill(process_, how == Stop::fast ? SIGINT : how == Stop::immediate ? SIGQUIT : SIGKILL);
  wait_for(process_);
  process_ = -1;
}

void PrivatePostgres::start() {
  const auto end = std::chrono::steady_clock::now() + start_limit;
  while (process_ < 0) {
    process_ =
      start_program({programs_ / "postgres", "-D", data_.string()}, (folder_ / "log").string(), -1);
    for (;;) {
      // The last line of this file says "ready" when the server takes connections.
      std::ifstream file{data_ / "postmaster.pid"};
      const std::string text{std::istreambuf_iterator<char>{file}, {}};
      if (text.starts_with(std::to_string(process_) + "\n")
          && text.find("\nready") != std::string::npos)
        return;
      if (waitpid(process_, nullptr, WNOHANG) == process_) {
        process_ = -1; // after SIGKILL, the processes of its sessions may still be there
        break;
      }
      if (std::chrono::steady_clock::now() > end)
        throw std::runtime_error("PostgreSQL does not start: " + log_end());
      std::this_thread::sleep_for(look_interval);
    }
    if (std::chrono::steady_clock::now() > end
        || log_end().find("shared memory block") == std::string::npos)
      throw std::runtime_error("PostgreSQL does not start: " + log_end());
    std::this_thread::sleep_for(look_interval);
  }
}

void PrivatePostgres::restart_immediately() {
  stop(Stop::immediate);
  start();
}

std::string PrivatePostgres::log_end() const {
  std::ifstream file{folder_ / "log"};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  return text.substr(text.size() - std::min<std::size_t>(text.size(), 800));
}

} // namespace example
