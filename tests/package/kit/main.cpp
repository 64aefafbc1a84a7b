#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/testing/testing.hpp>

#include <iostream>

int main() {
  using namespace backoff_actor;
  testing::VirtualTime time;
  testing::DangerousActor danger{"crash*5"};
  const auto sender = time.keep(spawn_back_off_sender(time.system(), danger.factory()));
  const auto answer = time.ask<std::string>(sender, std::string{"a"});
  time.advance(std::chrono::hours{1});
  std::cout << *answer->value << " after " << danger.started() << " children\n";
}
