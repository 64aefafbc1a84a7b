#pragma once

#include "fixture.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <stdexcept>

namespace backoff_actor::actor_test {

/// What all incarnations of a `Scribe` have seen.
struct Scribes {
  Strings seen;                        // "2:text", by incarnation
  std::vector<caf::actor_addr> askers; // who sent them
  int started = 0;
  int alive = 0;
  int most_alive = 0;
};

/// A worker that answers "2:text" as the second incarnation, and does what some texts say.
class Scribe : public caf::event_based_actor {
public:
  Scribe(caf::actor_config& config, std::shared_ptr<Scribes> scribes, caf::actor_addr supervisor)
    : caf::event_based_actor(config), scribes_(std::move(scribes)),
      supervisor_(std::move(supervisor)), number_(std::to_string(++scribes_->started)) {
    compat::keep_cause(*this);
    scribes_->most_alive = std::max(scribes_->most_alive, ++scribes_->alive);
  }

  ~Scribe() override { --scribes_->alive; }

  caf::behavior make_behavior() override {
    return {
      [this](const std::string& text) {
        scribes_->seen.push_back(number_ + ":" + text);
        scribes_->askers.push_back(caf::actor_cast<caf::actor_addr>(current_sender()));
        if (text == "crash")
          throw std::runtime_error("crash");
        if (text == "stop")
          quit();
        if (
          text
          == "last words") { // which are in the mailbox of the sender before the news of the crash
          for (const auto* word : {"a", "b", "c"})
            compat::enqueue(caf::actor_cast<caf::actor>(supervisor_), std::string{word});
          throw std::runtime_error("crash");
        }
        if (text == "remind me")
          send(caf::actor_cast<caf::actor>(supervisor_), std::uint64_t{7});
        return number_ + ":" + text;
      },
      [this](std::uint64_t number) {
        scribes_->seen.push_back(number_ + ":" + std::to_string(number));
      },
      [this](Status) { return number_ + ":status"; },
    };
  }

private:
  std::shared_ptr<Scribes> scribes_;
  caf::actor_addr supervisor_;
  std::string number_;
};

/// A client of one message, which notes what comes back and from whom; errors as "!text".
class Speaker : public caf::event_based_actor {
public:
  struct Heard {
    Strings texts;
    std::vector<caf::actor_addr> from;
  };

  Speaker(caf::actor_config& config, caf::actor receiver, bool requests, std::string text,
          std::shared_ptr<Heard> heard)
    : caf::event_based_actor(config), receiver_(std::move(receiver)), requests_(requests),
      text_(std::move(text)), heard_(std::move(heard)) {}

  caf::behavior make_behavior() override {
    const auto note = [this](const std::string& text) {
      heard_->texts.push_back(text);
      heard_->from.push_back(caf::actor_cast<caf::actor_addr>(current_sender()));
    };
    if (requests_)
      compat::request(*this, receiver_, text_).then(note, [this, note](const caf::error& error) {
        const auto text = "!" + compat::cause_of(system(), error, true).text;
        note(text.substr(0, text.find(':')));
      });
    else
      send(receiver_, text_);
    return {note};
  }

  void on_exit() override { receiver_ = nullptr; }

private:
  caf::actor receiver_;
  bool requests_;
  std::string text_;
  std::shared_ptr<Heard> heard_;
};

/// A forwarder in front of scribes. Its waits are 10, 30, 70, 150, 310, 630 and 1270 ms.
class AtMostOnce : public SenderTest {
protected:
  static ForwarderOptions forwarding(WhileDown while_down = BufferWhileDown{}) {
    auto options = forwarder_options();
    options.restart = RestartTiming::at_tick;
    options.while_down = std::move(while_down);
    return options;
  }

  ChildFactory scribe() const {
    return [scribes = scribes](caf::event_based_actor* self) {
      return caf::actor_cast<caf::actor>(self->spawn<Scribe>(scribes, self->address()));
    };
  }

  void start(ForwarderOptions options = forwarding()) { start_with(scribe(), std::move(options)); }

  struct Spoken {
    caf::actor speaker;
    std::shared_ptr<Speaker::Heard> heard;

    std::string text() const { return heard->texts.empty() ? "" : heard->texts.back(); }
  };

  Spoken speak(bool requests, const std::string& text) {
    auto heard = std::make_shared<Speaker::Heard>();
    const auto speaker = time.keep(time.system().spawn<Speaker>(sender, requests, text, heard));
    time.run();
    return {caf::actor_cast<caf::actor>(speaker), heard};
  }
  Spoken request(const std::string& text) { return speak(true, text); }
  Spoken send_plainly(const std::string& text) { return speak(false, text); }

  ChildHandle child() {
    const auto answer = time.ask<ChildHandle>(sender, CurrentChild{});
    time.run();
    return answer->value.value();
  }

  std::shared_ptr<Scribes> scribes = std::make_shared<Scribes>();
};

} // namespace backoff_actor::actor_test
