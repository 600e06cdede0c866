package io.millrace.wire.message;

import io.millrace.wire.block.FlowColumn;

/**
 * A column of a message.
 *
 * @param name as in the table of flows
 * @param kind type of its values
 * @param flow the block's column; null for joined ones and for the log position
 * @param joined index among the block's joined columns; −1 for others
 * @param summary description: one phrase
 */
public record OutputColumn(String name, Kind kind, FlowColumn flow, int joined, String summary) {
  /** Type of values. */
  public enum Kind {
    /** Microseconds since the epoch. */
    TIME,
    /** Up to 16 bits. */
    SMALL,
    /** 32 bits, unsigned. */
    NUMBER,
    /** 63 bits. */
    LONG,
    /** 48 bits. */
    MAC,
    /** IPv4 or IPv6. */
    ADDRESS,
    /** UTF-8. */
    TEXT
  }

  /** Name of the column with the partition of the log. */
  public static final String LOG_PARTITION = "log_partition";

  /** Name of the column with the offset in the partition. */
  public static final String LOG_OFFSET = "log_offset";

  /** Name of the column with the index within the log's value. */
  public static final String LOG_INDEX = "log_index";

  static OutputColumn of(FlowColumn column) {
    Kind kind =
        switch (column.type()) {
          case TIME, MOMENT -> Kind.TIME;
          case MAC -> Kind.MAC;
          case ADDRESS -> Kind.ADDRESS;
          case U8, U16 -> Kind.SMALL;
          case U32 -> Kind.NUMBER;
          case U64 -> Kind.LONG;
        };
    return new OutputColumn(column.columnName(), kind, column, -1, column.summary());
  }

  static OutputColumn ofPlace(String name, Kind kind, String summary) {
    return new OutputColumn(name, kind, null, -1, summary);
  }

  /** Whether every row has a value. */
  public boolean isRequired() {
    return flow == FlowColumn.TIME || (flow == null && joined < 0);
  }
}
