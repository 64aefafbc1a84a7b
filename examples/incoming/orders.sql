-- Hands an order over in the transaction that stores it: psql -v customer=ada -v order_no=4711 -f orders.sql
--
-- The table shop_order stands for your own. The user needs the role backoff_producer.
\set ON_ERROR_STOP on
BEGIN;
INSERT INTO shop_order(order_no, customer) VALUES (:order_no, :'customer');
INSERT INTO backoff.incoming(outbox, key, idempotency_key, type, payload)
  VALUES ('orders', :'customer', 'order-' || :'order_no', 'order.v1',
          convert_to(json_build_object('order', :order_no)::text, 'UTF8'));
COMMIT;
