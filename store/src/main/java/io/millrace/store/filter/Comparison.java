package io.millrace.store.filter;

import java.util.function.Function;

/**
 * What is asked of a column, before it is known of which: {@code = 443}, {@code NOT IN (…)}.
 *
 * @param negated whether the opposite is asked, so that of two sides neither may fit
 * @param on the condition on a column, in the positive
 */
record Comparison(boolean negated, Function<FilterColumn, Filter> on) {
  Comparison(Function<FilterColumn, Filter> on) {
    this(false, on);
  }

  Comparison negate() {
    return new Comparison(!negated, on);
  }
}
