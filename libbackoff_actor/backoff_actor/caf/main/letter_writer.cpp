#include "backoff_actor/caf/main/letter_writer.hpp"

#include "backoff_actor/caf/messages/internal/message_words.hpp"
#include "backoff_actor/core/event/internal/event_record.hpp"
#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/problems.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace backoff_actor {

namespace {

class AppendedFile {
public:
  explicit AppendedFile(const std::filesystem::path& file)
    : number_(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)) {
    if (number_ < 0)
      fail(file);
  }
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;
  ~AppendedFile() { ::close(number_); }

  void append(std::string_view text, const std::filesystem::path& file) const {
    while (!text.empty()) {
      const auto count = ::write(number_, text.data(), text.size());
      if (count >= 0)
        text.remove_prefix(static_cast<std::size_t>(count));
      else if (errno != EINTR)
        fail(file);
    }
  }

private:
  [[noreturn]] static void fail(const std::filesystem::path& file) {
    throw std::system_error(errno, std::generic_category(), file.string());
  }

  int number_;
};

detail::EventRecord record_of(const DeadLetter& letter, const std::string& sender) {
  using detail::if_any;
  detail::EventRecord result{detail::EventRecord::Part::fields};
  result.is(Severity::error, "dead_letter");
  result.has("sender", if_any(sender), "delivery", letter.id, "reason", to_string(letter.reason),
             "attempts", letter.attempts, "age_s", letter.age, "message",
             detail::message_words(letter.message), "cause", if_any(letter.cause), "key",
             if_any(letter.key), "idempotency_key", if_any(letter.idempotency_key), "worker",
             if_any(letter.worker));
  return result;
}

std::string line_of(const DeadLetter& letter, LogFormat format, const std::string& sender) {
  const auto now = std::chrono::system_clock::now();
  if (format != LogFormat::text)
    return detail::line_of_record(record_of(letter, sender), now, format);
  return detail::head_of_line(Severity::error, now) + (sender.empty() ? "" : sender + ": ")
         + detail::one_line(detail::letter_text(letter, std::string::npos));
}

} // namespace

LetterWriter::LetterWriter(const std::filesystem::path& file, LogFormat format, std::string sender)
  : file_(std::filesystem::absolute(file)), format_(format), sender_(std::move(sender)) {
  try {
    const AppendedFile opened{file_};
  } catch (const std::system_error& error) {
    Problems problems{"LetterWriter"};
    problems.add("file", error.what(), "a file that can be written");
    problems.raise_if_any();
  }
}

void LetterWriter::operator()(const DeadLetter& letter) const {
  const AppendedFile opened{file_};
  opened.append(line_of(letter, format_, sender_) + "\n", file_);
}

} // namespace backoff_actor
