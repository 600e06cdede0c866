"""What Superset asks of a database, by SQLAlchemy's dialect for Flight SQL: schemas, tables, columns, rows."""

import sys

import flightsql.sqlalchemy  # registers the dialect; noqa: F401
from sqlalchemy import column, create_engine, func, inspect, literal_column, select, table

engine = create_engine(f"datafusion+flightsql://any:{sys.argv[2]}@{sys.argv[1]}?insecure=True")
inspector = inspect(engine)
print("schemas", *inspector.get_schema_names())
tables = inspector.get_table_names(schema="main")
print("flows" in tables, "exporters" in tables)
types = {each["name"]: str(each["type"]) for each in inspector.get_columns("flows", schema="main")}
print("types", types["time"], types["src_addr"], types["bytes"], types["dst_port"])

minute = func.date_trunc("minute", column("time"))
flows = table("flows", schema="main")
statement = (
    select(minute.label("minute"), func.sum(column("bytes")).label("SUM(bytes)"))
    .select_from(flows)
    .where(column("proto") == 6)
    .where(column("time") >= literal_column("now() - INTERVAL 1 HOUR"))
    .group_by(minute)
    .order_by(func.sum(column("bytes")).desc())
    .limit(100)
)
with engine.connect() as connection:
    rows = connection.execute(statement).fetchall()
    print("rows", len(rows) > 0, all(row[1] > 0 for row in rows))
    print("text", connection.exec_driver_sql("SELECT 'it''s % and :name'").scalar())
