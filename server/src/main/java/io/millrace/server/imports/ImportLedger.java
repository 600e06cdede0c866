package io.millrace.server.imports;

import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.ResultTable;
import io.millrace.store.SqlLiteral;
import io.millrace.store.Store;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.sink.BlockSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The table {@code imports}. Not thread-safe. */
final class ImportLedger {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final int MAX = 1 << 20;

  private final Store store;

  ImportLedger(Store store) {
    this.store = store;
    store.results(ImportRecord.TABLE);
  }

  /** Inserts or replaces the record of a file and table, durably. */
  void put(ImportRecord record) {
    ResultTable table = store.results(ImportRecord.TABLE);
    try (BlockSink<TableBlock, Long> writer = table.writer(table.token())) {
      writer.append(record.row());
      writer.flush();
    }
  }

  Optional<ImportRecord> find(String sha256, String table) {
    String where =
        "sha256 = " + SqlLiteral.of(sha256) + " AND table_name = " + SqlLiteral.of(table);
    return select(where).stream().findFirst();
  }

  /** Unfinished imports, oldest first. */
  List<ImportRecord> unfinished() {
    return select("state IN ('running', 'failed')");
  }

  private List<ImportRecord> select(String where) {
    String sql =
        "SELECT epoch_us(started), sha256, table_name, file, format, bytes, options, state,"
            + " row_count, rejected, problem, log_partition, first_offset FROM imports WHERE "
            + where
            + " ORDER BY started";
    List<ImportRecord> records = new ArrayList<>();
    try (QueryResult row = store.query(new QueryRequest(sql, TIMEOUT, MAX))) {
      while (row.next()) {
        records.add(
            new ImportRecord(
                number(row, 0),
                text(row, 1),
                text(row, 2),
                text(row, 3),
                text(row, 4),
                number(row, 5),
                ImportOptionsJson.read(text(row, 6)),
                ImportRecord.State.of(text(row, 7)),
                number(row, 8),
                number(row, 9),
                text(row, 10),
                (int) number(row, 11),
                number(row, 12)));
      }
    }
    return records;
  }

  private static long number(QueryResult row, int column) {
    return ((Number) row.value(column)).longValue();
  }

  private static String text(QueryResult row, int column) {
    Object value = row.value(column);
    return value == null ? "" : value.toString();
  }
}
