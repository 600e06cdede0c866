package io.millrace.store.filter;

import java.util.function.Function;

/**
 * A comparison; if {@code negated}, neither of two sides may match. {@code on} is the positive
 * condition.
 */
record Comparison(boolean negated, Function<FilterColumn, Filter> on) {
  Comparison(Function<FilterColumn, Filter> on) {
    this(false, on);
  }

  Comparison negate() {
    return new Comparison(!negated, on);
  }
}
