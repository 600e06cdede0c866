package io.millrace.server.imports;

import io.millrace.pipelines.imports.ImportOptions;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * A row of the table {@code imports}: one file in one table.
 *
 * @param started microseconds since the epoch
 * @param sha256 SHA-256 of the file, hexadecimal
 * @param table table of flows
 * @param file name of the file
 * @param format format of the file; empty while unknown
 * @param partition partition of the rows
 * @param first offset of the first row
 * @param problem error message; may be empty
 */
@RecordBuilder
record ImportRecord(
    long started,
    String sha256,
    String table,
    String file,
    String format,
    long bytes,
    ImportOptions options,
    State state,
    long rows,
    long rejected,
    String problem,
    int partition,
    long first)
    implements ImportRecordBuilder.With {

  enum State {
    /** In progress: not all rows are stored. */
    RUNNING,
    /** All rows are stored. */
    DONE,
    /** The file is damaged; all readable rows are stored. */
    DAMAGED,
    /** The file cannot be imported; no rows are stored. */
    REJECTED,
    /** The last attempt failed. Committed rows are kept, and the next attempt resumes from them. */
    FAILED;

    /** Whether rows remain to be stored; until then the import keeps its partition. */
    boolean isUnfinished() {
      return this == RUNNING || this == FAILED;
    }

    String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** State of a word in the table. */
    static State of(String word) {
      return valueOf(word.toUpperCase(java.util.Locale.ROOT));
    }
  }

  static final ResultSpec TABLE =
      new ResultSpec(
          "imports",
          TableSchema.builder()
              .time("started")
              .text("sha256")
              .text("table_name")
              .text("file")
              .text("format")
              .number("bytes")
              .text("options")
              .text("state")
              .number("row_count")
              .number("rejected")
              .text("problem")
              .number("log_partition")
              .number("first_offset")
              .build(),
          List.of("sha256", "table_name"),
          ResultRetention.FOR_EVER);

  TableBlock row() {
    TableBlock block = new TableBlock(TABLE.schema(), 1);
    block.longs(0)[0] = started;
    block.texts(1).add(sha256);
    block.texts(2).add(table);
    block.texts(3).add(file);
    block.texts(4).add(format.isEmpty() ? null : format);
    block.longs(5)[0] = bytes;
    block.texts(6).add(ImportOptionsJson.write(options));
    block.texts(7).add(state.word());
    block.longs(8)[0] = rows;
    block.longs(9)[0] = rejected;
    block.texts(10).add(problem.isEmpty() ? null : problem);
    block.longs(11)[0] = partition;
    block.longs(12)[0] = first;
    block.rows(1);
    return block;
  }
}
