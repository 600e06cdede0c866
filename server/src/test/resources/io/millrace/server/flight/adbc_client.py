"""Asks an instance through ADBC, as notebooks do, and prints what came: one fact a line."""

import sys

import adbc_driver_flightsql.dbapi as flightsql
from adbc_driver_flightsql import DatabaseOptions

uri, token, wrong = sys.argv[1:4]


def connect(options):
    return flightsql.connect(uri, db_kwargs=options, autocommit=True)


with connect({DatabaseOptions.AUTHORIZATION_HEADER.value: "Bearer " + token}) as connection:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT dst_addr, sum(bytes) AS b, min(time) AS t FROM flows GROUP BY ALL ORDER BY b DESC, 1 LIMIT 2"
        )
        table = cursor.fetch_arrow_table()
        print("types", *(str(field.type).replace(" ", "") for field in table.schema))
        for row in table.to_pylist():
            print("row", row["dst_addr"], row["b"], row["t"].isoformat())
        cursor.execute("SELECT count(*) FROM flows WHERE dst_addr = ? AND dst_port = ?", ("192.0.2.0", 443))
        print("parameters", cursor.fetchone()[0])
        cursor.execute("SELECT NULL AS n, ['a', 'b'] AS l")
        print("null and list", *cursor.fetchone())
        cursor.execute("SELECT range AS n FROM range(1000000)")
        print("batches", sum(batch.num_rows for batch in cursor.fetch_record_batch()))
        try:
            cursor.execute("DELETE FROM flows")
            cursor.fetchall()
        except Exception as e:
            print("rejected", "not allowed in a query" in str(e))
        try:
            cursor.execute("SELECT nothing FROM flows")
            cursor.fetchall()
        except Exception as e:
            print("wrong", "Binder Error" in str(e))
    objects = connection.adbc_get_objects(depth="columns", table_name_filter="netdata").read_all().to_pylist()
    tables = objects[0]["catalog_db_schemas"][0]["db_schema_tables"]
    print("objects", objects[0]["catalog_name"], tables[0]["table_name"], tables[0]["table_columns"][0]["column_name"])
    print("vendor", connection.adbc_get_info()["vendor_name"])

with connect({"username": "any", "password": token}) as connection:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        print("password", cursor.fetchone()[0])

try:
    with connect({DatabaseOptions.AUTHORIZATION_HEADER.value: "Bearer " + wrong}) as connection:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            print("unknown user", cursor.fetchone()[0])
except Exception as e:
    print("unknown user rejected", "missing or wrong token" in str(e))
