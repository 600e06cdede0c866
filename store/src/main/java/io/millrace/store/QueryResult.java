package io.millrace.store;

import java.util.List;

/** The rows of a query, one after the other. Used by one thread at a time. */
public interface QueryResult extends AutoCloseable {
  /** What the values of a column are in Java, and so in JSON. */
  enum Kind {
    /** {@link Boolean}. */
    BOOLEAN,
    /** {@link Long}: every integer of 64 bits or fewer. */
    INTEGER,
    /** {@link Double}. */
    REAL,
    /** {@link java.math.BigDecimal} or {@link java.math.BigInteger}: wider than the others hold. */
    DECIMAL,
    /** {@link String}: texts, and the text of whatever has no other kind (times, lists, …). */
    TEXT
  }

  /**
   * A column.
   *
   * @param name as the query calls it
   * @param sqlType the store's own name of the type
   * @param kind what {@link #value} gives
   */
  record Column(String name, String sqlType, Kind kind) {}

  /** The columns from left to right. */
  List<Column> columns();

  /**
   * Moves to the next row.
   *
   * @return false behind the last row, or when the row limit is reached
   * @throws QueryException if the query fails or its time is over
   */
  boolean next();

  /** The current row's value in a column, counted from 0; null for SQL's NULL. */
  Object value(int column);

  /**
   * As {@link #value}, but what has no {@link Kind} of its own as it is: {@link
   * java.time.LocalDateTime} or, of a type with a time zone, {@link java.time.OffsetDateTime};
   * {@link java.time.LocalDate}, {@link java.time.LocalTime}, {@code byte[]}, and a {@link List}
   * for lists. By default there are none such.
   */
  default Object exact(int column) {
    return value(column);
  }

  /** Whether rows were left out for the row limit; meaningful once {@link #next()} gave false. */
  boolean truncated();

  /** Ends the query, wherever it is. */
  @Override
  void close();
}
