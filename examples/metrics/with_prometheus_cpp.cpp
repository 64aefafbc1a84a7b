// For a program that already shows its metrics by prometheus-cpp: its registry collects those of an
// observatory, too.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>

#include <prometheus/collectable.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// [collectable]
class ObservatoryCollectable final : public prometheus::Collectable {
public:
  explicit ObservatoryCollectable(backoff_actor::Observatory observatory)
    : observatory_(std::move(observatory)) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> result;
    for (const auto& family : observatory_.metrics()) {
      auto& copy = result.emplace_back();
      copy.name = family.name;
      copy.help = family.help;
      copy.type = type_of(family.type);
      for (const auto& sample : family.samples)
        copy.metric.push_back(metric_of(family.type, sample));
    }
    return result;
  }

private:
  static prometheus::MetricType type_of(backoff_actor::MetricType type) {
    switch (type) {
    case backoff_actor::MetricType::counter:
      return prometheus::MetricType::Counter;
    case backoff_actor::MetricType::gauge:
      return prometheus::MetricType::Gauge;
    case backoff_actor::MetricType::histogram:
      break;
    }
    return prometheus::MetricType::Histogram;
  }

  static prometheus::ClientMetric metric_of(backoff_actor::MetricType type,
                                            const backoff_actor::MetricSample& sample) {
    prometheus::ClientMetric metric;
    for (const auto& label : sample.labels)
      metric.label.push_back({label.name, label.value});
    metric.counter.value = sample.value;
    metric.gauge.value = sample.value;
    if (type != backoff_actor::MetricType::histogram)
      return metric;
    const auto& buckets = sample.buckets;
    auto& histogram = metric.histogram;
    histogram.sample_sum = buckets.sum;
    for (std::size_t i = 0; i < buckets.counts.size(); ++i) {
      histogram.sample_count += buckets.counts[i];
      histogram.bucket.push_back(
        {histogram.sample_count,
         i < buckets.bounds.size() ? buckets.bounds[i] : std::numeric_limits<double>::infinity()});
    }
    return metric;
  }

  backoff_actor::Observatory observatory_;
};
// [collectable]

caf::behavior packer(caf::event_based_actor*) {
  return {[](const std::string& order) { return order + " packed"; }};
}

int main() {
  const backoff_actor::Observatory observatory;
  const auto collectable = std::make_shared<ObservatoryCollectable>(observatory);
  // With an exposer: exposer.RegisterCollectable(collectable);

  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  backoff_actor::SenderOptions options;
  options.name = "packer";
  options.observed_by = observatory;
  const auto sender = spawn_back_off_sender(system, backoff_actor::child_of(packer), options);
  caf::scoped_actor self{system};
  for (const std::string order : {"paper", "glass"})
    self->request(sender, caf::infinite, order)
      .receive([](const std::string& answer) { std::cout << answer << '\n'; },
               [&](const caf::error& error) {
                 std::cout << backoff_actor::render(system, error) << '\n';
               });
  // An answer may come before the sender publishes its numbers. A sender that has ended has
  // published all.
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  self->wait_for(sender);
  std::cout << prometheus::TextSerializer{}.Serialize(collectable->Collect());
  return 0;
}
