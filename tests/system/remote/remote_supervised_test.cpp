// Children on other nodes below a supervisor. Real sockets, real time.

#include "common/patience.hpp"
#include "system/remote/remote_fixture.hpp"

#include <caf/scoped_actor.hpp>

namespace backoff_actor::remote_child_test {
namespace {

class RemoteSupervised : public Remote {
protected:
  ChildSpec spec(std::string id, ChildFactory make) {
    ChildSpec result;
    result.id = std::move(id);
    result.make = std::move(make);
    result.options.backoff = Exponential{.first = 5ms, .factor = 2, .cap = 20ms};
    result.address = ChildRef{*here.system};
    return result;
  }
};

TEST_F(RemoteSupervised, a_child_on_another_node_fits_the_spec_of_any_other) {
  Node there;
  const auto remote =
    spec("far", remote_spawn({at(there.open())}, "worker", caf::make_message(std::string{"far"})));
  const auto local = spec("near", child_of<Worker>(std::string{"near"}));
  const auto supervisor = start_supervisor(*here.system, {remote, local});
  EXPECT_EQ(diary().lines(), (Strings{"far up", "near up"})) << "in order";
  EXPECT_EQ(remote_child_test::ask(*here.system, remote.address->actor(), std::string{"a"}).value,
            "far:a");

  caf::anon_send(remote.address->actor(), std::string{"crash"});
  EXPECT_TRUE(becomes_true([] { return diary().count("far up") == 2; }));
  caf::anon_send_exit(supervisor, caf::exit_reason::user_shutdown);
  EXPECT_TRUE(becomes_true([] { return diary().count("far ended") == 2; }));
  EXPECT_TRUE(becomes_true([] { return diary().count("near ended") == 1; }));
}

TEST_F(RemoteSupervised,
       a_supervisor_on_another_node_says_when_it_is_up_and_shows_its_part_of_the_tree) {
  Node there;
  auto near = spec("near", child_of<Worker>(std::string{"near"}));
  near.address.reset(); // of the other node
  const auto far = spawn_supervisor(*there.system, {near});
  auto remote = spec("far", remote_child({at(there.publish(far))}, patient_steps()));
  remote.options.readiness = Readiness::when_it_is_up;
  remote.kind = ChildKind::supervisor;
  const auto supervisor = start_supervisor(*here.system, {remote});
  EXPECT_EQ(diary().lines(), (Strings{"near up"}));
  caf::scoped_actor self{*here.system};
  self->request(supervisor, caf::timespan{test::patience}, GetTree{})
    .receive(
      [](const SupervisionTree& tree) {
        ASSERT_EQ(tree.children.size(), 1u);
        ASSERT_EQ(tree.children.front().children.size(), 1u);
        EXPECT_EQ(tree.children.front().children.front().status.id, "near");
        EXPECT_EQ(tree.children.front().children.front().status.name.kind, "worker");
        EXPECT_EQ(tree.children.front().children.front().status.state, ChildState::running);
      },
      [&](const caf::error& error) { FAIL() << compat::render(*here.system, error); });
  caf::anon_send_exit(supervisor, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(far, caf::exit_reason::user_shutdown);
}

} // namespace
} // namespace backoff_actor::remote_child_test
