#include "backoff_actor/observe/supervision_tree.hpp"

#include "backoff_actor/observe/internal/json_parts.hpp"

#include <cstddef>

namespace backoff_actor {

namespace {

using detail::json_name;
using detail::json_seconds;
using detail::json_string;

void render(std::string& text, const std::vector<TreeNode>& nodes, const std::string& indent) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto is_last = i + 1 == nodes.size();
    text += "\n" + indent;
    text += is_last ? "`- " : "|- ";
    text += to_string(nodes[i].status);
    render(text, nodes[i].children, indent + (is_last ? "   " : "|  "));
  }
}

void write(std::string& json, const std::vector<TreeNode>& nodes) {
  json += "[";
  auto is_first = true;
  for (const auto& [status, kind, children] : nodes) {
    json += is_first ? "{" : ",{";
    is_first = false;
    const auto add = [&](const char* key, const std::string& value) {
      json += std::string{"\""}.append(key).append("\":").append(value).append(",");
    };
    const auto is_stopped = status.stopped != StoppedBecause::not_stopped;
    add("id", json_string(status.id));
    add("name", json_name(status.name));
    add("kind", json_string(kind == ChildKind::supervisor ? "supervisor" : "worker"));
    add("state", json_string(to_string(status.state)));
    add("restart", json_string(to_string(status.restart)));
    add("stopped", is_stopped ? json_string(to_string(status.stopped)) : "null");
    add("incarnation", std::to_string(status.incarnation));
    add("restarts", std::to_string(status.restarts));
    add("failures", std::to_string(status.failures));
    add("due_in_seconds", status.is_due ? json_seconds(status.due_in) : "null");
    add("up_seconds", json_seconds(status.up_for));
    add("cause", status.cause.empty() ? "null" : json_string(status.cause));
    json += "\"children\":";
    write(json, children);
    json += "}";
  }
  json += "]";
}

} // namespace

std::string to_string(const SupervisionTree& tree) {
  auto text = tree.name.kind.empty() ? "supervisor" : to_string(tree.name);
  text.append(" ").append(to_string(tree.phase)).append(", ").append(to_string(tree.counts));
  render(text, tree.children, "");
  return text;
}

std::string to_json(const SupervisionTree& tree) {
  auto json = "{\"name\":" + json_name(tree.name)
              + ",\"phase\":" + json_string(to_string(tree.phase))
              + ",\"restarts\":" + std::to_string(tree.counts.restarts) + ",\"children\":";
  write(json, tree.children);
  json += "}";
  return json;
}

} // namespace backoff_actor
