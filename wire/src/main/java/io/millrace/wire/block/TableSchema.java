package io.millrace.wire.block;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Names and types of the columns of a {@link TableBlock}, in their order. Immutable.
 *
 * @param columns at least one; with distinct names
 */
public record TableSchema(List<Column> columns) implements Serializable {
  /** Maximum number of columns. */
  public static final int MAX_COLUMNS = 1_000;

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");

  /** Type of a column's values. New ones are added at the end. */
  public enum Type {
    /** Microseconds since the epoch: a {@code long}; null is {@link TableBlock#NULL}. */
    TIME,
    /** A signed 64-bit number; null is {@link TableBlock#NULL}. */
    LONG,
    /** A number with a fraction; null is NaN. */
    DOUBLE,
    /** 128 bits: two {@code long}s as in {@link Addresses}, null too. */
    ADDRESS,
    /** UTF-8, see {@link Texts}. */
    TEXT;

    static final List<Type> ALL = List.of(values());
  }

  /**
   * A column.
   *
   * @param name in SQL: lower-case letters, digits and underscores, a letter first, at most 63
   * @param type of its values
   */
  public record Column(String name, Type type) implements Serializable {
    public Column {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "column '"
                + name
                + "': expected lower-case letters, digits and underscores, a letter first, at most 63");
      }
    }
  }

  /** Copies the list and checks it. */
  public TableSchema {
    columns = List.copyOf(columns);
    if (columns.isEmpty() || columns.size() > MAX_COLUMNS) {
      throw new IllegalArgumentException(
          "a table of " + columns.size() + " columns, expected 1 to " + MAX_COLUMNS);
    }
    Set<String> names = new HashSet<>();
    for (Column column : columns) {
      if (!names.add(column.name())) {
        throw new IllegalArgumentException("column '" + column.name() + "' is declared twice");
      }
    }
  }

  /** A builder: {@code TableSchema.builder().time("t").number("n").build()}. */
  public static Builder builder() {
    return new Builder();
  }

  /** Number of columns. */
  public int size() {
    return columns.size();
  }

  /** Type of a column, counted from 0. */
  public Type type(int column) {
    return columns.get(column).type();
  }

  /** Index of the column of that name, from 0; −1 if there is none. */
  public int indexOf(String name) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** Builder of a schema. */
  public static final class Builder {
    private final List<Column> columns = new ArrayList<>();

    private Builder() {}

    private Builder add(String name, Type type) {
      columns.add(new Column(name, type));
      return this;
    }

    /** Adds a time. */
    public Builder time(String name) {
      return add(name, Type.TIME);
    }

    /** Adds a whole number. */
    public Builder number(String name) {
      return add(name, Type.LONG);
    }

    /** Adds a floating-point number. */
    public Builder fraction(String name) {
      return add(name, Type.DOUBLE);
    }

    /** Adds an IP address. */
    public Builder address(String name) {
      return add(name, Type.ADDRESS);
    }

    /** Adds a text. */
    public Builder text(String name) {
      return add(name, Type.TEXT);
    }

    /** The schema. */
    public TableSchema build() {
      return new TableSchema(columns);
    }
  }
}
