// A tree that nobody holds any more, with real threads.

#include "system.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace backoff_actor::system_test {
namespace {

using namespace std::chrono_literals;

// Who was told to end, in order.
struct TreeEndings {
  std::mutex mutex;
  std::vector<std::string> names;
};

class EndingLeaf : public caf::event_based_actor {
public:
  EndingLeaf(caf::actor_config& config, std::shared_ptr<TreeEndings> endings, std::string name)
    : caf::event_based_actor(config), endings_(std::move(endings)), name_(std::move(name)) {}

  // CAF 1.x tells others of an end before `on_exit`.
  caf::behavior make_behavior() override {
    const auto end = compat::on_exit_message(*this, [this](const caf::exit_msg& x) {
      const std::lock_guard lock{endings_->mutex};
      endings_->names.push_back(name_);
      quit(x.reason);
    });
    return {end, [](const std::string& text) { return text; }};
  }

private:
  std::shared_ptr<TreeEndings> endings_;
  std::string name_;
};

ChildSpec ending_leaf(const std::shared_ptr<TreeEndings>& endings, const std::string& name) {
  ChildSpec result;
  result.id = name;
  result.make = child_of<EndingLeaf>(endings, name);
  return result;
}

// The last handle is dropped by this thread or by another one, while the system waits for its end.
TEST_F(System, goes_down_when_a_tree_that_nobody_holds_has_ended_in_order) {
  const auto endings = std::make_shared<TreeEndings>();
  constexpr auto trees = 100;
  std::vector<std::thread> droppers;
  ::testing::internal::CaptureStderr();
  for (auto i = 0; i < trees; ++i) {
    const auto name = [i](const char* child) { return std::to_string(i) + child; };
    auto supervisor =
      start_supervisor(*system, {ending_leaf(endings, name("a")),
                                 supervisor_spec(name("b"), {ending_leaf(endings, name("c"))}),
                                 ending_leaf(endings, name("d"))});
    if (i % 2 == 0)
      droppers.emplace_back([dropped = std::move(supervisor)]() mutable { dropped = nullptr; });
  }
  for (auto& dropper : droppers)
    dropper.join();
  go_down();
  const auto said = ::testing::internal::GetCapturedStderr();

  ASSERT_EQ(endings->names.size(), 3U * trees);
  for (auto i = 0; i < trees; ++i) {
    std::vector<std::string> of_this;
    for (const auto& name : endings->names)
      if (name.substr(0, name.size() - 1) == std::to_string(i))
        of_this.push_back(name.substr(name.size() - 1));
    EXPECT_EQ(of_this, (std::vector<std::string>{"d", "c", "a"})) << "tree " << i;
  }
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), trees) << said;
}

} // namespace
} // namespace backoff_actor::system_test
