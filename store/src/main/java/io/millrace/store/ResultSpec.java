package io.millrace.store;

import io.millrace.wire.block.TableSchema;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * Declaration of a table of results.
 *
 * @param name in SQL, see {@link TableNames#whyNotResults}
 * @param schema its columns
 * @param key columns by which a row replaces an earlier one; empty for append-only tables
 * @param retention default retention; {@code store.retention.results} overrides it
 */
@RecordBuilder
public record ResultSpec(
    String name, TableSchema schema, List<String> key, ResultRetention retention)
    implements ResultSpecBuilder.With {
  /** Copies the key. */
  public ResultSpec {
    key = List.copyOf(key);
  }

  /** An append-only table. */
  public static ResultSpec of(String name, TableSchema schema) {
    return new ResultSpec(name, schema, List.of(), ResultRetention.DEFAULT);
  }
}
