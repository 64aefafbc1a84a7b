// Requests of any type, whose answers are found by the name that the request has.

#include "fixture.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>
#include <backoff_actor/caf/messages/internal/own_words.hpp>
#include <caf/sec.hpp>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace backoff_actor::actor_test {

namespace {

struct Told {
  std::uint64_t name;
  caf::message content;
  bool has_sender;
};

// Asks when it is told a number, and keeps what comes back.
class Asker : public compat::RequestingActor {
public:
  struct Question {
    std::uint64_t name;
    caf::actor receiver;
    std::string text;
    compat::Priority priority = compat::Priority::normal;
  };

  Asker(caf::actor_config& config, std::vector<Question> questions,
        std::shared_ptr<std::vector<Told>> told)
    : RequestingActor(config), questions_(std::move(questions)), told_(std::move(told)) {}

  caf::behavior make_behavior() override {
    return complete([this](std::uint64_t times) {
      for (std::uint64_t i = 0; i != times; ++i)
        for (const auto& question : questions_)
          make_request(question.name, question.receiver, caf::make_message(question.text),
                       question.priority);
    });
  }

  void on_exit() override {
    questions_.clear();
    RequestingActor::on_exit();
  }

private:
  void on_response(std::uint64_t name, caf::message&& content,
                   const caf::strong_actor_ptr& from) override {
    told_->push_back({name, std::move(content), from != nullptr});
  }
  void on_down(const caf::actor_addr&, const caf::error&) override {}

  std::vector<Question> questions_;
  std::shared_ptr<std::vector<Told>> told_;
};

// Answers with something of the kind that it is asked for.
class Answerer : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const std::string& kind) -> caf::result<caf::message> {
      if (kind == "nothing")
        return caf::message{};
      if (kind == "word")
        return caf::make_message(WakeUp{});
      if (kind == "number")
        return caf::make_message(std::uint64_t{3});
      if (kind == "two values")
        return caf::make_message(std::int32_t{1}, std::string{"b"});
      if (kind == "exit")
        return caf::make_message(caf::exit_msg{{}, caf::exit_reason::kill});
      return caf::make_error(caf::sec::invalid_argument);
    }};
  }
};

// Never answers, and keeps nothing.
class Silent : public compat::RequestingActor {
public:
  using RequestingActor::RequestingActor;
  caf::behavior make_behavior() override {
    return complete([](std::uint64_t) {});
  }

private:
  void on_message(caf::message&&) override { open_request(); }
  void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}
  void on_down(const caf::actor_addr&, const caf::error&) override {}
};

} // namespace

class Requests : public ::testing::Test {
protected:
  void start(std::vector<Asker::Question> questions) {
    asker_ = time.keep(time.system().spawn<Asker>(std::move(questions), told));
  }

  void ask(std::uint64_t times = 1) {
    compat::enqueue(asker_, times);
    time.run();
  }

  VirtualTime time;
  std::shared_ptr<std::vector<Told>> told = std::make_shared<std::vector<Told>>();

private:
  caf::actor asker_;
};

TEST_F(Requests, are_told_answers_of_any_type_whatever_handlers_they_have) {
  const auto answerer = time.spawn<Answerer>();
  start({{1, answerer, "nothing"},
         {2, answerer, "word"},
         {3, answerer, "number"},
         {4, answerer, "two values"},
         {5, answerer, "exit"},
         {6, answerer, "error"}});

  ask();

  ASSERT_EQ(told->size(), 6u);
  for (std::size_t i = 0; i != told->size(); ++i) {
    EXPECT_EQ((*told)[i].name, i + 1);
    EXPECT_TRUE((*told)[i].has_sender);
  }
  EXPECT_TRUE((*told)[0].content.empty());
  EXPECT_TRUE((*told)[1].content.match_elements<WakeUp>());
  EXPECT_TRUE((*told)[2].content.match_elements<std::uint64_t>());
  EXPECT_TRUE(((*told)[3].content.match_elements<std::int32_t, std::string>()));
  EXPECT_TRUE((*told)[4].content.match_elements<caf::exit_msg>());
  ASSERT_NE(compat::error_in((*told)[5].content), nullptr);
  EXPECT_EQ(*compat::error_in((*told)[5].content), caf::sec::invalid_argument);
}

TEST_F(Requests, to_an_actor_that_is_gone_are_answered_by_nobody) {
  auto answerer = time.system().spawn<Answerer>();
  caf::anon_send_exit(answerer, caf::exit_reason::user_shutdown);
  time.run();
  start({{7, answerer, "number"}});

  ask();

  ASSERT_EQ(told->size(), 1u);
  EXPECT_EQ(told->front().name, 7u);
  EXPECT_FALSE(told->front().has_sender);
  ASSERT_NE(compat::error_in(told->front().content), nullptr);
  EXPECT_TRUE(compat::is_bounce(*compat::error_in(told->front().content)));
}

TEST_F(Requests, have_names_of_59_bits) {
  const auto answerer = time.spawn<Answerer>();
  const auto highest = (std::uint64_t{1} << 59) - 1;
  start({{0, answerer, "number"}, {highest, answerer, "number"}});

  ask();

  ASSERT_EQ(told->size(), 2u);
  EXPECT_EQ((*told)[0].name, 0u);
  EXPECT_EQ((*told)[1].name, highest);
}

TEST_F(Requests, that_are_urgent_have_urgent_answers) {
  const auto first = time.spawn<Answerer>();
  const auto second = time.spawn<Answerer>();
  start({{1, first, "number"}, {2, second, "number", compat::Priority::high}});

  ask();

  ASSERT_EQ(told->size(), 2u);
  EXPECT_EQ((*told)[0].name, 2u) << "both answers had waited in the mailbox";
  EXPECT_EQ((*told)[1].name, 1u);
}

TEST_F(Requests, that_are_never_answered_leave_nothing_behind) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const auto silent = time.spawn<Silent>();
  start({{1, silent, "a"}});
  ask(10'000); // after which mailboxes and schedulers have the room that they need
  const auto before = mallinfo2().uordblks;

  ask(10'000);

  EXPECT_TRUE(told->empty());
  EXPECT_LT(mallinfo2().uordblks, before + 100'000) << "10 bytes for each";
#else
  GTEST_SKIP() << "nobody knows how much memory is in use";
#endif
}

} // namespace backoff_actor::actor_test
