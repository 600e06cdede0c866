package io.millrace.store.duckdb.schema;

import io.millrace.store.FlowSchema;
import io.millrace.store.query.Constant;
import io.millrace.store.query.Expr;
import io.millrace.store.query.Sql;
import io.millrace.store.query.SqlType;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The two stored tables of a table of flows.
 *
 * <p>A column costs DuckDB about 23 ns per row even if every value is NULL. All columns that only
 * flow records fill would cost a third of a sampled packet. So packets are stored without them, and
 * a view unites both tables.
 */
public enum FlowPart {
  /** Rows of blocks without the columns that only flow records have. */
  PACKETS(""),
  /** All other rows. */
  RECORDS("__records");

  private static final Set<FlowColumn> OF_PACKETS =
      EnumSet.of(
          FlowColumn.DIRECTION,
          FlowColumn.SRC_MAC,
          FlowColumn.DST_MAC,
          FlowColumn.AGENT,
          FlowColumn.SUB_AGENT);

  private final String suffix;

  private static final class MissingColumns {
    static final Map<String, SqlType> TYPES = new HashMap<>();

    static {
      FlowLayout all = FlowLayout.of(RECORDS, new FlowSchema(List.of()));
      FlowLayout packets = FlowLayout.of(PACKETS, new FlowSchema(List.of()));
      for (FlowLayout.Column column : all.columns()) {
        if (packets.place(column.name()) < 0) {
          TYPES.put(column.name(), SqlType.valueOf(column.sqlType()));
        }
      }
    }
  }

  FlowPart(String suffix) {
    this.suffix = suffix;
  }

  /** Part that stores the rows of a block. */
  public static FlowPart of(FlowBlock block) {
    for (FlowColumn column : FlowColumn.ALL) {
      if (!PACKETS.has(column) && block.has(column)) {
        return RECORDS;
      }
    }
    return PACKETS;
  }

  /** Name of the stored table, in the schema {@link Catalog#RAW_SCHEMA}. */
  public String tableName(String table) {
    return table + suffix;
  }

  /** Item of a SELECT from this part; NULL if the part lacks the column. */
  public Sql select(String column) {
    SqlType missing = this == PACKETS ? MissingColumns.TYPES.get(column) : null;
    return missing == null ? Expr.column(column) : Constant.NULL.cast(missing).named(column);
  }

  /** The column of an address as it is in files; NULL if the part lacks it. */
  public Expr storedAddress(String column) {
    return this == PACKETS && MissingColumns.TYPES.containsKey(column)
        ? Expr.rendered("NULL::UUID")
        : Expr.column(FlowLayout.stored(column));
  }

  /** Whether this part stores a column of the wire format. */
  public boolean has(FlowColumn column) {
    return this == RECORDS || !column.optional() || OF_PACKETS.contains(column);
  }

  List<FlowColumn> columns() {
    return FlowColumn.ALL.stream().filter(this::has).toList();
  }
}
