#include "postgres/chaos.hpp"

#include "common/seeds.hpp"

#include <csignal>
#include <thread>

namespace backoff_actor::system_test {

namespace {

constexpr auto without_a_fault = 2s;
constexpr std::size_t disk_size = 320; // megabytes

constexpr auto end_of_owners_session = "select pg_terminate_backend(pid) from pg_locks "
                                       "where locktype = 'advisory' and granted";

// Notes each statement that changes deliveries: which session made it, and which epoch was on.
constexpr auto make_audit = R"(
CREATE TABLE audit(no bigserial, server timestamptz, session int, epoch bigint);
CREATE FUNCTION audited() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.audit(server, session, epoch)
    SELECT pg_postmaster_start_time(), pg_backend_pid(), epoch FROM backoff.shard;
  RETURN NULL;
END $$;
CREATE TRIGGER audited AFTER INSERT OR UPDATE OR DELETE ON backoff.delivery
  FOR EACH STATEMENT EXECUTE FUNCTION audited();)";

// A session belongs to one owner. If it changed something in two epochs, it was stale in the
// second.
constexpr auto read_audit = R"(
SELECT (SELECT count(*) FROM (SELECT FROM audit GROUP BY server, session
                              HAVING count(DISTINCT epoch) > 1) two_epochs),
       (SELECT count(*) FROM (SELECT epoch < max(epoch) OVER (ORDER BY no) AS is_old FROM audit) x
        WHERE is_old),
       count(*) > 0, count(DISTINCT epoch) FROM audit)";

} // namespace

std::string to_string(ChaosFault fault) {
  switch (fault) {
  case ChaosFault::kill:
    return "kill";
  case ChaosFault::freeze:
    return "freeze";
  case ChaosFault::terminate:
    return "terminated session";
  case ChaosFault::cut:
    return "cut";
  case ChaosFault::cut_answer:
    return "cut in an answer";
  case ChaosFault::line_down:
    return "line down";
  case ChaosFault::crash:
    return "server crash";
  case ChaosFault::full_disk:
    return "full disk";
  }
  return "unknown";
}

std::uint64_t PostgresChaosTest::seed_of_test() { return test::first_seed(); }

void PostgresChaosTest::make_chaos_cluster() {
  std::cout << "seed " << seed_ << '\n';
  std::filesystem::permissions(folder_.path(), std::filesystem::perms{0711});
  std::filesystem::create_directory(folder_ / "disk");
  disk_ = SmallDisk::at(folder_ / "disk", disk_size);
  if (!disk_)
    std::cout << "without a full disk: this user may mount nothing\n";
  make_cluster({.data = disk_ ? disk_->path() / "data" : std::filesystem::path{},
                .settings = {{"max_wal_size", "64MB"}, {"min_wal_size", "32MB"}}},
               150, 5ms, /*has_lives=*/true);
  server_->query(make_audit);
  records_.emplace(*server_);
  make_shop(*server_);
  for (std::size_t worker = 0; worker != workers; ++worker) {
    proxies_.push_back(make_proxy());
    start(behind(*proxies_.back(), "postgres"));
  }
  ASSERT_TRUE(cluster_->wait_for_owner(patience)) << complaints();
  producers_proxy_ = make_proxy();
  producers_ = std::make_unique<Producers>(behind(*producers_proxy_, "shop"), "jobs",
                                           cluster::WorkerOptions{}.keys, seed_);
  calendar_ = std::make_unique<cluster::Calendar>(*server_, *records_, "jobs");
  calendar_->start();
}

std::unique_ptr<testing::TcpProxy> PostgresChaosTest::make_proxy() const {
  return std::make_unique<testing::TcpProxy>("127.0.0.1",
                                             static_cast<std::uint16_t>(server_->port()));
}

std::string PostgresChaosTest::behind(const testing::TcpProxy& proxy,
                                      const std::string& user) const {
  return "host=127.0.0.1 port=" + std::to_string(proxy.port()) + " user=" + user
         + " dbname=postgres";
}

void PostgresChaosTest::expect_nothing_twice_without_a_fault() {
  wait_until_well();
  pass(without_a_fault);
  const auto verdict = cluster::judge({}, cluster_->service().calls());
  std::cout << "before the first fault: done " << verdict.done << ", done again "
            << verdict.done_again << '\n';
  if (cluster_->service().epoch() == 1) {
    EXPECT_EQ(verdict.done_again, 0u);
  }
}

std::chrono::microseconds PostgresChaosTest::draw_span(std::chrono::microseconds from,
                                                       std::chrono::microseconds to) {
  return from
         + std::chrono::microseconds{
           static_cast<std::int64_t>(draw() * static_cast<double>((to - from).count()))};
}

ChaosFault PostgresChaosTest::next_fault() {
  struct Share {
    ChaosFault fault;
    double weight;
  };
  constexpr std::array shares{
    Share{ChaosFault::kill, 5},       Share{ChaosFault::freeze, 4},
    Share{ChaosFault::terminate, 4},  Share{ChaosFault::cut, 4},
    Share{ChaosFault::cut_answer, 3}, Share{ChaosFault::line_down, 1},
    Share{ChaosFault::crash, 1.5},    Share{ChaosFault::full_disk, 1},
  };
  // Each kind once, before chance decides.
  if (caused_.size() < shares.size())
    for (const auto& share : shares)
      if (!caused_.contains(share.fault) && (share.fault != ChaosFault::full_disk || disk_))
        return share.fault;
  auto rest = draw() * 23.5;
  for (const auto& share : shares) {
    rest -= share.weight;
    if (rest < 0 && (share.fault != ChaosFault::full_disk || disk_))
      return share.fault;
  }
  return ChaosFault::kill;
}

testing::ConnectionPlan PostgresChaosTest::cuts(std::size_t connections, double from, double to) {
  testing::ConnectionPlan result;
  for (; connections > 0; --connections)
    result = {result, testing::ConnectionFault::cut_after_bytes(
                        static_cast<std::uint64_t>(from + draw() * (to - from)))};
  return result;
}

void PostgresChaosTest::pass(std::chrono::microseconds span) {
  const auto end = cluster::now() + span.count();
  cluster_->wait(span, [&] {
    go_on();
    return cluster::now() >= end;
  });
}

// Whatever has its time.
void PostgresChaosTest::go_on() {
  thaw_those_whose_time_it_is();
  calendar_->go_on();
}

void PostgresChaosTest::thaw_those_whose_time_it_is() {
  std::erase_if(frozen_until_, [&](const auto& frozen) {
    if (cluster::now() < frozen.second)
      return false;
    cluster_->thaw(frozen.first);
    return true;
  });
}

// Who owns the outbox, or whoever is the first to live.
std::size_t PostgresChaosTest::target() {
  cluster_->look();
  if (const auto owner = cluster_->owner(); owner && !cluster_->is_frozen(*owner))
    return *owner;
  for (std::size_t worker = 0; worker != workers; ++worker)
    if (cluster_->runs(worker) && !cluster_->is_frozen(worker))
      return worker;
  return 0;
}

void PostgresChaosTest::freeze(std::size_t worker) {
  cluster_->freeze(worker);
  frozen_until_[worker] = cluster::now() + draw_span(1200ms, 2200ms).count();
}

void PostgresChaosTest::crash_server() {
  server_->stop(draw() < 0.5 ? example::PrivatePostgres::Stop::immediate
                             : example::PrivatePostgres::Stop::kill);
  server_->start();
}

// A server that cannot write its log ends; then it is started again.
void PostgresChaosTest::fill_disk() {
  disk_->fill();
  pass(draw_span(200ms, 800ms));
  disk_->make_room();
  try {
    server_->query("create temporary table there_is_room (x int)");
  } catch (const std::runtime_error&) {
    server_->stop(example::PrivatePostgres::Stop::immediate);
    server_->start();
  }
}

void PostgresChaosTest::cause(ChaosFault fault) {
  ++caused_[fault];
  const auto worker = target();
  const auto is_owner = cluster_->owner() == worker && frozen_until_.empty();
  auto& proxy = *proxies_[worker];
  const auto at = cluster::now();
  switch (fault) {
  case ChaosFault::kill:
    cluster_->kill(worker);
    if (is_owner)
      takeovers_.push_back(taken_over_after(at, worker));
    cluster_->start(worker);
    break;
  case ChaosFault::freeze:
    if (frozen_until_.size() + 1 < workers)
      freeze(worker);
    break;
  case ChaosFault::terminate:
    server_->query(end_of_owners_session);
    end_sessions_of_producers(*server_);
    break;
  case ChaosFault::cut:
    for (auto cuts = 1 + draw() * 4; cuts > 0; --cuts) {
      proxy.cut_all();
      producers_proxy_->cut_all();
      pass(draw_span(0ms, 60ms));
    }
    break;
  case ChaosFault::cut_answer:
    proxy.set_plan(cuts(1, 400, 4400));
    producers_proxy_->set_plan(cuts(30, 400, 1400)); // a transaction or two
    proxy.cut_all();
    producers_proxy_->cut_all();
    pass(draw_span(50ms, 300ms));
    for (auto* one : {&proxy, producers_proxy_.get()})
      one->set_plan({});
    break;
  case ChaosFault::line_down:
    for (auto* one : {&proxy, producers_proxy_.get()})
      one->go_down();
    pass(draw_span(100ms, 1500ms));
    for (auto* one : {&proxy, producers_proxy_.get()})
      one->go_up();
    break;
  case ChaosFault::crash:
    crash_server();
    break;
  case ChaosFault::full_disk:
    fill_disk();
    break;
  }
  // Faults may come upon each other.
  if (draw() < 0.7)
    wait_until_well();
  pass(draw_span(0ms, 250ms));
}

void PostgresChaosTest::wait_until_well() {
  const auto works = [&] {
    const auto before = cluster_->service().count();
    return cluster_->wait(patience, [&] {
      go_on();
      return cluster_->service().count() >= before + 5;
    });
  };
  ASSERT_TRUE(works()) << complaints();
}

void PostgresChaosTest::mend_all() {
  for (const auto& [worker, until] : frozen_until_)
    cluster_->thaw(worker);
  frozen_until_.clear();
  wait_until_well();
}

void PostgresChaosTest::stop_producers() {
  producers_->stop();
  for (const auto& transaction : producers_->transactions())
    for (const auto job : transaction.jobs)
      if (transaction.is_committed)
        cluster_->add_confirmed(job);
}

void PostgresChaosTest::stop_calendar() {
  EXPECT_TRUE(calendar_->stop(patience));
  for (const auto& time : calendar_->times())
    cluster_->add_confirmed(cluster::calendar_job(time.delivery));
}

void PostgresChaosTest::expect_each_time_once() {
  const auto result = calendar_->judge(cluster_->service().calls());
  std::cout << to_string(result) << '\n';
  EXPECT_GT(result.times, 0u);
  EXPECT_EQ(result.missing, 0u);
  EXPECT_EQ(result.twice, 0u);
  EXPECT_EQ(result.early, 0u);
  EXPECT_EQ(result.while_paused, 0u);
}

void PostgresChaosTest::expect_what_was_committed() {
  const auto transactions = producers_->transactions();
  const auto result = cluster::judge_hand_over(transactions, cluster_->service().calls());
  std::cout << producers_->summary() << '\n' << to_string(result) << '\n';
  EXPECT_EQ(producers_->complaint(), "");
  EXPECT_GT(result.committed, 0u);
  EXPECT_GT(result.rolled_back, 0u);
  EXPECT_EQ(result.lost, 0u);
  EXPECT_EQ(result.done_of_rolled_back, 0u);
  EXPECT_EQ(result.out_of_order, 0u);
  EXPECT_EQ(server_->query("SELECT count(*) FROM shop_order"),
            std::to_string(std::count_if(transactions.begin(), transactions.end(),
                                         [](const auto& x) { return x.is_committed; }))
              + '\n');
  EXPECT_EQ(server_->query("SELECT count(*) FROM backoff.incoming"), "0\n");
  EXPECT_EQ(server_->query("SELECT count(*) FROM backoff.dead_letter"), "0\n");
}

void PostgresChaosTest::expect_no_stale_commit() const {
  const auto found = server_->query(read_audit);
  EXPECT_TRUE(found.starts_with("0|0|t|"))
    << "sessions with two epochs, statements of an old epoch, any, epochs: " << found;
}

void PostgresChaosTest::print_counts() const {
  std::string separator = "faults: ";
  for (const auto& [fault, count] : caused_) {
    std::cout << separator << to_string(fault) << ' ' << count;
    separator = ", ";
  }
  std::cout << '\n';
  auto sorted = takeovers_;
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty())
    std::cout << "takeovers after a kill: median " << milliseconds(sorted[sorted.size() / 2])
              << ", longest " << milliseconds(sorted.back()) << '\n';
}

} // namespace backoff_actor::system_test
