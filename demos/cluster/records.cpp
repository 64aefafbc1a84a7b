#include "records.hpp"

#include <sstream>

namespace cluster {

namespace {

// The workers' sessions have a search path of their own. A row of `incoming` is a message. If it
// had two numbers in the outbox, it were two.
constexpr auto make_records = R"(
CREATE TABLE calendar_row(key text, made_at timestamptz DEFAULT clock_timestamp());
CREATE TABLE calendar_delivery(key text, delivery bigint);
CREATE TABLE stored_note(no bigserial, delivery bigint, step bigint, epoch bigint);

CREATE FUNCTION record_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.calendar_row(key) VALUES(NEW.idempotency_key);
  RETURN NULL;
END $$;
CREATE TRIGGER record_row AFTER INSERT ON backoff.incoming FOR EACH ROW
  WHEN (NEW.idempotency_key LIKE '%@%') EXECUTE FUNCTION record_row();

CREATE FUNCTION record_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.calendar_delivery(key, delivery)
    VALUES(encode(NEW.idempotency_key, 'escape'), NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER record_delivery AFTER INSERT ON backoff.delivery FOR EACH ROW
  WHEN (position('@'::bytea IN NEW.idempotency_key) > 0) EXECUTE FUNCTION record_delivery();

CREATE FUNCTION record_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stored_note(delivery, step, epoch)
    SELECT NEW.id, substring(encode(NEW.context, 'escape') FROM 'note: ([0-9]+)')::bigint, epoch
      FROM backoff.shard;
  RETURN NULL;
END $$;
CREATE TRIGGER record_note AFTER UPDATE OF context ON backoff.delivery FOR EACH ROW
  WHEN (NEW.context IS DISTINCT FROM OLD.context) EXECUTE FUNCTION record_note();)";

constexpr auto read_times = R"(
SELECT concat_ws(' ', split_part(key, '@', 1),
                 extract(epoch FROM split_part(key, '@', 2)::timestamptz)::bigint,
                 (extract(epoch FROM min(made_at)) * 1e6)::bigint,
                 greatest(count(*), (SELECT count(DISTINCT delivery) FROM calendar_delivery d
                                       WHERE d.key = r.key)),
                 coalesce((SELECT min(delivery) FROM calendar_delivery d WHERE d.key = r.key), 0))
  FROM calendar_row r GROUP BY key ORDER BY key)";

constexpr auto read_notes =
  "SELECT concat_ws(' ', delivery, coalesce(step, 0), epoch) FROM stored_note ORDER BY no";

} // namespace

Records::Records(const example::PrivatePostgres& server) : server_(server) {
  server_.query(make_records);
}

std::vector<CalendarTime> Records::calendar_times() const {
  std::vector<CalendarTime> result;
  std::istringstream rows{server_.query(read_times)};
  for (CalendarTime x; rows >> x.entry >> x.time >> x.made_at >> x.messages >> x.delivery;)
    result.push_back(x);
  return result;
}

std::vector<StoredNote> Records::notes() const {
  std::vector<StoredNote> result;
  std::istringstream rows{server_.query(read_notes)};
  for (StoredNote x; rows >> x.delivery >> x.step >> x.epoch;)
    result.push_back(x);
  return result;
}

} // namespace cluster
