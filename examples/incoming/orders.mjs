// Hands an order over in the transaction that stores it: node orders.mjs CUSTOMER ORDER_NUMBER
//
// Needs the package pg and a user with the role backoff_producer; libpq's variables (PGHOST, PGUSER
// ...) say where. The table shop_order stands for your own.
import pg from 'pg';

const [customer, number] = process.argv.slice(2);
if (number === undefined) {
  console.error('usage: node orders.mjs CUSTOMER ORDER_NUMBER');
  process.exit(2);
}
const client = new pg.Client();
await client.connect();
try {
  await client.query('BEGIN');
  await client.query('INSERT INTO shop_order(order_no, customer) VALUES ($1, $2)', [number, customer]);
  // The payload is bytes. A string would be read as an escaped bytea.
  await client.query(
    'INSERT INTO backoff.incoming(outbox, key, idempotency_key, type, payload) VALUES ($1, $2, $3, $4, $5)',
    ['orders', customer, `order-${number}`, 'order.v1', Buffer.from(JSON.stringify({ order: Number(number) }))],
  );
  await client.query('COMMIT');
} catch (error) {
  await client.query('ROLLBACK');
  throw error;
} finally {
  await client.end();
}
