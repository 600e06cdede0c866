package io.millrace.store;

import io.millrace.wire.block.TableSchema;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * A table of results as whoever fills it declares it.
 *
 * @param name in SQL, see {@link TableNames#whyNotResults}
 * @param schema its columns
 * @param key columns of which a row takes the place of an earlier one; none where rows are only
 *     added
 * @param retention how long its rows stay, unless {@code store.retention.results} says otherwise
 */
@RecordBuilder
public record ResultSpec(
    String name, TableSchema schema, List<String> key, ResultRetention retention)
    implements ResultSpecBuilder.With {
  /** Copies the key. */
  public ResultSpec {
    key = List.copyOf(key);
  }

  /** A table to which rows are only added. */
  public static ResultSpec of(String name, TableSchema schema) {
    return new ResultSpec(name, schema, List.of(), ResultRetention.DEFAULT);
  }
}
