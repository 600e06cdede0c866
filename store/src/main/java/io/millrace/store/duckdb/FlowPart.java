package io.millrace.store.duckdb;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.util.List;

/**
 * The two stored tables behind a table of flows.
 *
 * <p>A column costs DuckDB about 23 ns a row also where every value is NULL, a third of the price
 * of a sampled packet for all those that only flow records fill. So packets are stored without
 * them, and a view puts the two together again.
 */
enum FlowPart {
  /** Rows of blocks that hold no optional column. */
  PACKETS(""),
  /** All other rows. */
  RECORDS("__records");

  private final String suffix;

  FlowPart(String suffix) {
    this.suffix = suffix;
  }

  /** The part to which the rows of a block go. */
  static FlowPart of(FlowBlock block) {
    for (FlowColumn column : FlowColumn.ALL) {
      if (column.optional() && block.has(column)) {
        return RECORDS;
      }
    }
    return PACKETS;
  }

  /** Name of the stored table, in the schema {@link Catalog#RAW_SCHEMA}. */
  String tableName(String table) {
    return table + suffix;
  }

  /** The columns of the wire that are stored here, in table order. */
  List<FlowColumn> columns() {
    return this == RECORDS
        ? FlowColumn.ALL
        : FlowColumn.ALL.stream().filter(column -> !column.optional()).toList();
  }
}
