package io.millrace.store.duckdb.sums;

import io.millrace.store.rollup.RollupSet;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.ChunkFunction;

/**
 * How the rows of a table are aggregated when they are sealed.
 *
 * @param columns columns of the rows
 * @param sets sets of columns to group by; at most {@value #MAX_COLUMNS} columns each
 * @param flowMicros maximum duration of a record
 * @param delayMicros maximum time from the end of a flow to its record's arrival
 * @param hasSample whether to choose candidates of the sample
 */
public record SumPlan(
    List<ChunkFunction.Column> columns,
    List<RollupSet> sets,
    long flowMicros,
    long delayMicros,
    boolean hasSample) {
  /** Maximum number of columns of a set. */
  public static final int MAX_COLUMNS = 24;

  private static final List<String> SUMS =
      List.of("rows", "packets", "bytes", "scaled_packets", "scaled_bytes");

  /** Index of a column, which {@link #isPossible} has found. */
  int place(String column) {
    return names().indexOf(column);
  }

  private List<String> names() {
    return columns.stream().map(ChunkFunction.Column::name).toList();
  }

  /** Maximum bytes of a row. */
  int rowBytes() {
    return columns.stream().mapToInt(column -> column.type().width()).sum();
  }

  /** Indexes of the columns of a set. */
  int[] places(RollupSet set) {
    return set.columns().stream().mapToInt(this::place).toArray();
  }

  ChunkFunction.Type type(int column) {
    return columns.get(column).type();
  }

  /** Whether the rows have the columns of all sets, and no set has too many. */
  boolean isPossible() {
    return sets.stream()
        .map(RollupSet::columns)
        .allMatch(its -> its.size() <= MAX_COLUMNS && names().containsAll(its));
  }

  /**
   * Columns of the groups of a set: {@code bucket} (minutes since the epoch), the columns of the
   * set, {@code spread} (0 or 1), the sums.
   */
  List<ChunkFunction.Column> groups(RollupSet set) {
    List<ChunkFunction.Column> all = new ArrayList<>();
    all.add(new ChunkFunction.Column("bucket", ChunkFunction.Type.BIGINT));
    for (int place : places(set)) {
      all.add(columns.get(place));
    }
    all.add(new ChunkFunction.Column("spread", ChunkFunction.Type.INTEGER));
    SUMS.forEach(sum -> all.add(new ChunkFunction.Column(sum, ChunkFunction.Type.BIGINT)));
    return all;
  }
}
