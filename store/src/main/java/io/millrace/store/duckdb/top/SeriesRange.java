package io.millrace.store.duckdb.top;

import io.millrace.store.query.RollupPlan;

/** A direction over a time range, and the plan that computes it. */
record SeriesRange(Direction direction, Points.Span span, RollupPlan plan) {
  boolean isRolled() {
    return plan.kept() != null;
  }

  Points.Span whole() {
    return new Points.Span(span.from(), span.to(), span.to() - span.from(), span.known());
  }
}
