#pragma once

#include <caf/actor_system.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#if __has_include(<caf/byte_buffer.hpp>)
#include <caf/byte_buffer.hpp>
#endif

#include <gtest/gtest.h>

#include <vector>

namespace backoff_actor::actor_test {

/// What arrives at the other end.
template <class Message>
Message through_the_network(caf::actor_system& system, Message sent) {
  Message result;
#if __has_include(<caf/byte_buffer.hpp>)
  caf::byte_buffer buffer;
  caf::binary_serializer sink{system, buffer};
  EXPECT_TRUE(sink.apply(sent));
  caf::binary_deserializer source{system, buffer};
  EXPECT_TRUE(source.apply(result));
#else
  std::vector<char> buffer;
  caf::binary_serializer sink{system, buffer};
  EXPECT_FALSE(sink(sent));
  caf::binary_deserializer source{system, buffer};
  EXPECT_FALSE(source(result));
#endif
  return result;
}

} // namespace backoff_actor::actor_test
