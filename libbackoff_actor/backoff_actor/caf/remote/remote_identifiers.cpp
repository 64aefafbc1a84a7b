#include "backoff_actor/caf/remote/internal/remote_identifiers.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace backoff_actor::remote_identifiers {

namespace {

constexpr std::string_view own = "backoff_actor:"; // all that are ours begin so
constexpr std::string_view prefix = "backoff_actor:types:";
constexpr std::string_view protocol_prefix = "backoff_actor:protocol:";

std::string hexadecimal(std::uint64_t number) {
  std::string result(16, '0');
  for (auto i = result.rbegin(); number != 0; ++i, number >>= 4)
    *i = "0123456789abcdef"[number & 15];
  return result;
}

// FNV-1a, mixed. The hash covers the end of each name, too.
std::uint64_t hash_of(const std::vector<std::string_view>& names) {
  std::uint64_t result = 0xcbf29ce484222325ULL;
  const auto add = [&](char c) {
    result = (result ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  };
  for (const auto name : names) {
    std::ranges::for_each(name, add);
    add('\0');
  }
  return backoff_actor::detail::mix(result);
}

// An identifier of ours, taken apart.
struct Block {
  std::string_view numbers; // first-last
  std::string_view hash;
  std::string_view first_name;

  friend bool operator==(const Block&, const Block&) = default;
};

std::optional<Block> block_of(std::string_view identifier) {
  if (!identifier.starts_with(prefix))
    return std::nullopt;
  identifier.remove_prefix(prefix.size());
  const auto take_part = [&] {
    const auto part = identifier.substr(0, identifier.find(':'));
    identifier.remove_prefix(std::min(part.size() + 1, identifier.size()));
    return part;
  };
  take_part(); // the node
  Block result;
  result.numbers = take_part();
  result.hash = take_part();
  result.first_name = identifier;
  return result;
}

std::vector<Block> blocks_of(const std::vector<std::string>& identifiers) {
  std::vector<Block> result;
  for (const auto& x : identifiers)
    if (const auto block = block_of(x))
      result.push_back(*block);
  return result;
}

std::string in_words(const Block& block) {
  std::string result{"the block that begins with "};
  const auto dash = block.numbers.find('-');
  result.append(block.first_name).append(" (numbers ").append(block.numbers.substr(0, dash));
  return result.append("..").append(block.numbers.substr(dash + 1)).append(")");
}

// The program's own identifiers, which decide whether CAF connects.
std::string applications(const std::vector<std::string>& identifiers) {
  std::string result;
  for (const auto& x : identifiers)
    if (!x.starts_with(own))
      result.append(result.empty() ? "'" : ", '").append(x).append("'");
  return result.empty() ? "no identifier" : result;
}

} // namespace

std::string of_block(const detail::TypeBlock& block, std::uint64_t node) {
  std::string result{prefix};
  result.append(hexadecimal(node)).append(":").append(std::to_string(block.first));
  result.append("-").append(std::to_string(block.first + block.names.size() - 1));
  result.append(":").append(hexadecimal(hash_of(block.names)));
  return result.append(":").append(block.names.front());
}

std::string of_protocol(std::uint64_t node) {
  std::string result{protocol_prefix};
  return result.append(hexadecimal(node)).append(":").append(std::to_string(own_protocol));
}

std::string protocol_problem(const std::vector<std::string>& theirs) {
  if (blocks_of(theirs).empty())
    return {}; // it has not this library, as `type_problem` says
  auto protocol = std::string{"1"};
  for (const auto& x : theirs)
    if (x.starts_with(protocol_prefix))
      protocol = x.substr(x.rfind(':') + 1);
  const auto ours = std::to_string(own_protocol);
  if (protocol == ours)
    return {};
  std::string result{"its backoff_actor speaks protocol "};
  return result.append(protocol)
    .append(", that of this program ")
    .append(ours)
    .append(": use versions that speak the same");
}

std::string application_problem(const std::vector<std::string>& ours,
                                const std::vector<std::string>& theirs) {
  if (std::ranges::find_first_of(ours, theirs) != ours.end())
    return {};
  std::string result{"a node of another application: its app-identifiers are "};
  return result.append(applications(theirs))
    .append(", those of this program ")
    .append(applications(ours));
}

std::string type_problem(const std::vector<std::string>& ours,
                         const std::vector<std::string>& theirs) {
  const auto their_blocks = blocks_of(theirs);
  if (their_blocks.empty())
    return "it knows no message types of backoff_actor: its program was not set up with "
           "init_network";
  for (const auto& block : blocks_of(ours)) {
    if (std::ranges::find(their_blocks, block) != their_blocks.end())
      continue;
    const auto is_known =
      std::ranges::find(their_blocks, block.first_name, &Block::first_name) != their_blocks.end();
    std::string result{is_known ? "it has other message types than this program in "
                                : "it does not know the message types of "};
    return result.append(in_words(block));
  }
  return {};
}

} // namespace backoff_actor::remote_identifiers
