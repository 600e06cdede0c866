package io.millrace.store.duckdb.schema;

import io.millrace.store.ExporterRow;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** The table {@code exporters}: a few rows that are replaced as a whole. */
public final class ExporterTable implements AutoCloseable {
  private static final String NAME = "exporters";

  private final DuckDBConnection connection;
  private final CommitMemory memory;
  private List<ExporterRow> shown;

  public ExporterTable(DuckDBConnection connection, CommitMemory memory) throws SQLException {
    this.connection = connection;
    this.memory = memory;
    SqlRows.execute(
        connection,
        "CREATE TABLE IF NOT EXISTS "
            + Catalog.raw(NAME)
            + "(exporter UHUGEINT, agent UHUGEINT, protocol VARCHAR, port INTEGER, domain BIGINT,"
            + " datagrams BIGINT, datagrams_per_s DOUBLE, rows BIGINT, rows_per_s DOUBLE,"
            + " lost_datagrams BIGINT, lost_records BIGINT, dropped BIGINT, malformed BIGINT,"
            + " templates BIGINT, first_seen TIMESTAMP, last_seen TIMESTAMP, clock_skew_ms"
            + " BIGINT)");
    String text = Catalog.main("ip_text");
    SqlRows.execute(
        connection,
        "CREATE OR REPLACE VIEW %s AS SELECT %s(exporter) AS exporter, %s(agent) AS agent, * EXCLUDE (exporter, agent) FROM %s"
            .formatted(Catalog.main(NAME), text, text, Catalog.raw(NAME)));
  }

  public synchronized void show(List<ExporterRow> rows) throws SQLException {
    if (rows.equals(shown)) {
      return;
    }
    shown =
        SqlRows.transaction(
            connection,
            memory,
            () -> {
              replace(rows);
              return List.copyOf(rows);
            });
  }

  private void replace(List<ExporterRow> rows) throws SQLException {
    SqlRows.execute(connection, "DELETE FROM " + Catalog.raw(NAME));
    try (DuckDBAppender out =
        connection.createAppender(Catalog.DATABASE, Catalog.RAW_SCHEMA, NAME)) {
      for (ExporterRow row : rows) {
        append(out, row);
      }
      out.flush(); // close() does not report a failure
    }
  }

  private static void append(DuckDBAppender out, ExporterRow row) throws SQLException {
    out.beginRow();
    AddressValues.append(out, row.high(), row.low());
    AddressValues.append(out, row.agentHigh(), row.agentLow());
    out.append(row.protocol()).append(row.port()).append(row.part());
    out.append(row.datagrams()).append(row.datagramsPerSecond());
    out.append(row.rows()).append(row.rowsPerSecond());
    out.append(row.lostDatagrams()).append(row.lostRecords());
    out.append(row.dropped()).append(row.malformed()).append(row.templates());
    out.append(time(row.firstSeenMicros())).append(time(row.lastSeenMicros()));
    out.append(row.skewMicros() / 1_000).endRow();
  }

  private static LocalDateTime time(long micros) {
    return LocalDateTime.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000L),
        (int) Math.floorMod(micros, 1_000_000L) * 1_000,
        ZoneOffset.UTC);
  }

  @Override
  public synchronized void close() throws SQLException {
    connection.close();
  }
}
