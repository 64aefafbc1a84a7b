#!/usr/bin/env python3
"""A shop that hands each order over in the transaction that stores it.

Both rows are committed, or neither is. One order in ten is rolled back. Each order is a line on
stdout: `stored 20`, or `rolled back 21`. SIGTERM ends the shop after the order that it is at.

Needs psycopg 3 and a user with the role backoff_producer; libpq's variables (PGHOST, PGUSER ...) say
where. The table shop_order stands for your own:

    CREATE TABLE shop_order(order_no bigint PRIMARY KEY, customer text NOT NULL);
    GRANT INSERT ON shop_order TO shop;
"""

import argparse
import json
import signal
import sys
import time

import psycopg


def place_order(connection, outbox, number, customer, is_good):
    """Stores an order and hands it over, unless it turns out to be none."""
    with connection.transaction():
        connection.execute(
            "INSERT INTO shop_order(order_no, customer) VALUES (%s, %s)", (number, customer)
        )
        connection.execute(
            "INSERT INTO backoff.incoming(outbox, key, type, payload) VALUES (%s, %s, %s, %s)",
            # The payload is bytes. A str would be read as an escaped bytea.
            (outbox, customer, "order.v1", json.dumps({"order": number}).encode()),
        )
        if not is_good:
            raise psycopg.Rollback()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--outbox", default="orders", help="who does the orders; default orders")
    parser.add_argument("--first", type=int, default=1, help="number of the first order; default 1")
    parser.add_argument("--rate", type=float, default=20, help="orders a second; default 20")
    parser.add_argument("--customers", type=int, default=16, help="how many; default 16")
    arguments = parser.parse_args()
    is_over = []
    signal.signal(signal.SIGTERM, lambda *_: is_over.append(True))
    with psycopg.connect(autocommit=True) as connection:
        number = arguments.first
        while not is_over:
            is_good = number % 10 != 1
            customer = str(number % arguments.customers)
            place_order(connection, arguments.outbox, number, customer, is_good)
            print("stored" if is_good else "rolled back", number, flush=True)
            number += 1
            time.sleep(1 / arguments.rate)


if __name__ == "__main__":
    try:
        main()
    except psycopg.Error as error:
        sys.exit(f"shop.py: {error}")
