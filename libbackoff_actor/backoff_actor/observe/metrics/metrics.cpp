// The text format of Prometheus.

#include "backoff_actor/observe/metrics/metrics.hpp"
#include "backoff_actor/core/internal/enum_names.hpp"
#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/text/internal/number_text.hpp"

#include <cmath>
#include <cstddef>

namespace backoff_actor {

namespace {

// As Prometheus reads it: the shortest text that is this very number.
std::string text_of(double value) {
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value > 0 ? "+Inf" : "-Inf";
  return detail::number_text(value);
}

// The value of a label in its quotes. Control characters are shown as text: the format knows only
// the line end, and readers differ about the others.
std::string label_text(std::string_view value) {
  std::string result{'"'};
  for (const auto c : detail::one_line(value)) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

// The labels of a sample, and one more if it has a name.
std::string labels_of(const MetricSample& sample, std::string_view name = {},
                      std::string_view value = {}) {
  std::string result;
  const auto add = [&](std::string_view label, const std::string& text) {
    result.append(result.empty() ? "{" : ",").append(label).append("=").append(text);
  };
  for (const auto& label : sample.labels)
    add(label.name, label_text(label.value));
  if (!name.empty())
    add(name, label_text(value));
  return result.empty() ? result : result + "}";
}

void add_line(std::string& page, std::string_view name, const std::string& labels,
              const std::string& value) {
  page.append(name).append(labels).append(" ").append(value).append("\n");
}

void add_histogram(std::string& page, const std::string& name, const MetricSample& sample) {
  const auto& buckets = sample.buckets;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < buckets.counts.size(); ++i) {
    count += buckets.counts[i];
    const auto bound = i < buckets.bounds.size() ? text_of(buckets.bounds[i]) : "+Inf";
    add_line(page, name + "_bucket", labels_of(sample, "le", bound), std::to_string(count));
  }
  add_line(page, name + "_sum", labels_of(sample), text_of(buckets.sum));
  add_line(page, name + "_count", labels_of(sample), std::to_string(count));
}

} // namespace

std::string_view to_string(MetricType type) {
  static constexpr auto names = detail::enum_names<MetricType>({"counter", "gauge", "histogram"});
  return names.of(type);
}

std::string to_exposition(const std::vector<MetricFamily>& families) {
  std::string page;
  for (const auto& family : families) {
    if (family.samples.empty())
      continue;
    page.append("# HELP ").append(family.name).append(" ").append(family.help).append("\n");
    page.append("# TYPE ").append(family.name).append(" ").append(to_string(family.type));
    page.append("\n");
    for (const auto& sample : family.samples)
      if (family.type == MetricType::histogram)
        add_histogram(page, family.name, sample);
      else
        add_line(page, family.name, labels_of(sample), text_of(sample.value));
  }
  return page;
}

} // namespace backoff_actor
