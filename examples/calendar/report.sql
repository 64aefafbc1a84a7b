-- Adds an entry to the calendar of the outbox orders: psql -f report.sql
--
-- The user needs the role backoff_worker. The payload is what the owner's decoder of the type reads.
INSERT INTO backoff.calendar(outbox, name, schedule, missed, type, payload)
  VALUES ('orders', 'report', 'at(02:30, Europe/Berlin)', 'run_all', 'report.v1', '')
  ON CONFLICT (outbox, name) DO UPDATE SET schedule = excluded.schedule, missed = excluded.missed;
