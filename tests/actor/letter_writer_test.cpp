// Dead letters as lines of a file.

#include "fixture.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace backoff_actor::actor_test {

class LetterWriters : public SenderTest {
protected:
  void SetUp() override {
    SenderTest::SetUp();
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
  }

  void TearDown() override {
    std::filesystem::remove_all(folder);
    SenderTest::TearDown();
  }

  // The lines, with the time of each as `TIME`.
  static std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::ifstream stream{file};
    std::vector<std::string> result;
    for (std::string line; std::getline(stream, line);) {
      const auto year = line.find("20");
      const auto end = line.find('Z');
      if (year != line.npos && end != line.npos)
        line.replace(year, end + 1 - year, "TIME");
      result.push_back(line);
    }
    return result;
  }

  std::filesystem::path folder = ::testing::TempDir() + "letter_writer." + std::to_string(getpid());
  std::filesystem::path file = folder / "letters.log";
};

TEST_F(LetterWriters, append_a_line_for_each_message_that_is_given_up) {
  auto options = default_options();
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  options.on_dead_letter = LetterWriter{file, LogFormat::text, "charges"};
  start({{testing::crash("no\npaper"), testing::crash("again")}}, options);
  submit("order 1", {.key = "customer 7"});
  submit("order 2", {});
  time.advance(1s);

  EXPECT_THAT(lines_of(file),
              ElementsAre("TIME error charges: delivery 1 (\"order 1\") attempts_exhausted after "
                          "0ns, 1 failed attempt: no\\npaper",
                          ::testing::StartsWith("TIME error charges: delivery 2 (\"order 2\") ")));
}

TEST_F(LetterWriters, write_the_parts_for_programs) {
  DeadLetter letter{7, DeadLetterReason::rejected, 3, "status 422", 1500ms};
  letter.message = caf::make_message(std::string{"order 1"}, std::int32_t{42});
  letter.key = "customer 7";
  letter.idempotency_key = "id 9";
  letter.worker = 2;
  LetterWriter{file, LogFormat::logfmt, "charges"}(letter);
  LetterWriter{file, LogFormat::json}(DeadLetter{8, DeadLetterReason::expired});
  LetterWriter{file, LogFormat::json}(letter);

  EXPECT_THAT(
    lines_of(file),
    ElementsAre("ts=TIME level=error event=dead_letter sender=charges delivery=7 reason=rejected "
                "attempts=3 age_s=1.5 message=\"(\\\"order 1\\\", 42)\" cause=\"status 422\" "
                "key=\"customer 7\" idempotency_key=\"id 9\" worker=2",
                "{\"ts\":\"TIME\",\"level\":\"error\",\"event\":\"dead_letter\",\"delivery\":8,"
                "\"reason\":\"expired\",\"attempts\":0,\"age_s\":0,\"message\":\"\"}",
                "{\"ts\":\"TIME\",\"level\":\"error\",\"event\":\"dead_letter\",\"delivery\":7,"
                "\"reason\":\"rejected\",\"attempts\":3,\"age_s\":1.5,"
                "\"message\":\"(\\\"order 1\\\", 42)\",\"cause\":\"status 422\","
                "\"key\":\"customer 7\",\"idempotency_key\":\"id 9\",\"worker\":2}"));
}

TEST_F(LetterWriters, write_the_whole_message_of_which_to_string_shows_the_beginning) {
  DeadLetter letter{1, DeadLetterReason::rejected};
  letter.message = caf::make_message(std::string(1000, 'a'));
  LetterWriter{file}(letter);

  EXPECT_EQ(lines_of(file).at(0), "TIME error delivery 1 (\"" + std::string(1000, 'a')
                                    + "\") rejected after 0ns, 0 failed attempts");
  EXPECT_EQ(to_string(letter),
            "delivery 1 (\"" + std::string(198, 'a') + "... rejected after 0ns, 0 failed attempts");
}

TEST_F(LetterWriters, go_on_with_a_new_file_after_the_old_one_was_moved_away) {
  std::ofstream{file} << "from an earlier process\n";
  const LetterWriter write{file};
  write(DeadLetter{1});
  std::filesystem::rename(file, folder / "letters.log.1");
  write(DeadLetter{2});

  EXPECT_THAT(lines_of(folder / "letters.log.1"),
              ElementsAre("from an earlier process",
                          "TIME error delivery 1 rejected after 0ns, 0 failed attempts"));
  EXPECT_THAT(lines_of(file),
              ElementsAre("TIME error delivery 2 rejected after 0ns, 0 failed attempts"));
  struct stat found {};
  ASSERT_EQ(stat(file.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u) << "messages may hold what others must not see";
}

TEST_F(LetterWriters, refuse_a_file_that_cannot_be_written_before_anything_starts) {
  try {
    const LetterWriter write{folder / "none" / "letters.log"};
    FAIL() << "it was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(std::string{error.what()},
              "LetterWriter: file: got " + (folder / "none" / "letters.log").string()
                + ": No such file or directory, allowed a file that can be written");
  }
}

TEST_F(LetterWriters, leave_a_letter_that_cannot_be_written_to_the_event_of_the_hook) {
  auto options = default_options();
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  options.on_dead_letter = LetterWriter{file};
  std::vector<std::uint64_t> told;
  options.on_event = [&](const Event& event) {
    if (const auto* failed = std::get_if<event::DeadLetterHookFailed>(&event))
      told.push_back(dead_letter_of(*failed)->id);
  };
  start({{testing::crash("bang")}}, options);
  std::filesystem::remove_all(folder);
  ::testing::internal::CaptureStderr();
  submit("order 1", {});
  time.advance(1s);

  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("letters.log: No such file or directory"));
  EXPECT_THAT(told, ElementsAre(1u));
}

} // namespace backoff_actor::actor_test
