package io.millrace.store.duckdb.sandbox;

/**
 * How long the values of an expression get.
 *
 * @param items of a list; characters of a text
 * @param bytes of the whole
 * @param nodes expressions that it comes to
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
