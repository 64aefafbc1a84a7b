#!/usr/bin/env python3
"""Hands an order over in the transaction that stores it: orders.py CUSTOMER ORDER_NUMBER

Needs psycopg 3 and a user with the role backoff_producer; libpq's variables (PGHOST, PGUSER ...) say
where. The table shop_order stands for your own.
"""

import json
import sys

import psycopg


def place_order(connection, customer, number):
    """Both rows are committed, or neither is."""
    with connection.transaction():
        connection.execute(
            "INSERT INTO shop_order(order_no, customer) VALUES (%s, %s)", (number, customer)
        )
        connection.execute(
            "INSERT INTO backoff.incoming(outbox, key, idempotency_key, type, payload)"
            " VALUES (%s, %s, %s, %s, %s)",
            # The payload is bytes. A str would be read as an escaped bytea.
            (
                "orders",
                customer,
                f"order-{number}",
                "order.v1",
                json.dumps({"order": number}).encode(),
            ),
        )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with psycopg.connect() as connection:
        place_order(connection, sys.argv[1], int(sys.argv[2]))
