package io.millrace.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Rows of a query. Used by one thread at a time. */
public interface QueryResult extends AutoCloseable {
  /** Java type of a column's values, and so their JSON type. */
  enum Kind {
    /** {@link Boolean}. */
    BOOLEAN,
    /** {@link Long}: every integer of 64 bits or fewer. */
    INTEGER,
    /** {@link Double}. */
    REAL,
    /** {@link java.math.BigDecimal} or {@link java.math.BigInteger}: wider than the other kinds. */
    DECIMAL,
    /** {@link String}: texts, and the text of types without a kind (times, lists, …). */
    TEXT
  }

  /**
   * A column.
   *
   * @param name as in the query
   * @param sqlType the store's name of the type
   * @param kind type of {@link #value}
   */
  record Column(String name, String sqlType, Kind kind) {}

  /** The columns from left to right. */
  List<Column> columns();

  /**
   * Advances to the next row.
   *
   * @return false after the last row, or at the row limit
   * @throws QueryException if the query fails or exceeds its time limit
   */
  boolean next();

  /** The current row's value in a column, counted from 0; null for SQL's NULL. */
  Object value(int column);

  /**
   * Like {@link #value}, except that types without a {@link Kind} are returned unconverted: {@link
   * java.time.LocalDateTime} or, with a time zone, {@link java.time.OffsetDateTime}; {@link
   * java.time.LocalDate}, {@link java.time.LocalTime}, {@code byte[]}, and a {@link List} for
   * lists. The default has no such types.
   */
  default Object exact(int column) {
    return value(column);
  }

  /** Whether the row limit cut the result; meaningful once {@link #next()} returned false. */
  boolean truncated();

  /** Arrival of the newest row that the query could see, if it read an older snapshot. */
  default Optional<Instant> freshTo() {
    return Optional.empty();
  }

  /** Ends the query at any time. */
  @Override
  void close();
}
