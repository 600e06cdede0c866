package io.millrace.store.duckdb.sandbox;

/**
 * Maximum size of the values of an expression.
 *
 * @param items items of a list; characters of a text
 * @param bytes total bytes
 * @param nodes number of expressions that it expands to
 */
record ValueSize(double items, double bytes, double nodes) {
  static final ValueSize COLUMN = new ValueSize(256, 256, 1);

  static final ValueSize NUMBER = new ValueSize(1, 16, 1);

  ValueSize and(ValueSize other) {
    return new ValueSize(items + other.items, bytes + other.bytes, nodes + other.nodes);
  }

  ValueSize or(ValueSize other) {
    return new ValueSize(
        Math.max(items, other.items), Math.max(bytes, other.bytes), nodes + other.nodes);
  }

  ValueSize times(double factor) {
    return new ValueSize(items * factor, bytes * factor, nodes);
  }

  ValueSize of(ValueSize made) {
    return new ValueSize(made.items, made.bytes, nodes + 1);
  }

  ValueSize item() {
    return new ValueSize(bytes / Math.max(1, items), Math.max(16, bytes / Math.max(1, items)), 1);
  }
}
