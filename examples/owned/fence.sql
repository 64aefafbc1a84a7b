-- The highest epoch that this database has seen of each outbox.
CREATE TABLE fence (outbox text PRIMARY KEY, epoch bigint NOT NULL);

-- Call it first in each transaction that does a worker's work. It fails if a later owner of the
-- outbox has called it before. As long as the transaction runs, no later owner gets past it.
CREATE FUNCTION enter_fence(of_outbox text, of_owner bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  highest bigint;
BEGIN
  INSERT INTO fence VALUES (of_outbox, of_owner) ON CONFLICT DO NOTHING;
  UPDATE fence SET epoch = of_owner WHERE outbox = of_outbox AND epoch < of_owner;
  SELECT epoch INTO STRICT highest FROM fence WHERE outbox = of_outbox FOR SHARE;
  IF of_owner < highest THEN
    RAISE EXCEPTION 'outbox %: epoch % is over, the owner has epoch %', of_outbox, of_owner, highest
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
END $$;
