package io.millrace.store.duckdb.top;

import io.millrace.store.query.RollupPlan;

/** A direction over a stretch of time, and what answers. */
record SeriesStretch(Direction direction, Points.Span span, RollupPlan plan) {
  boolean isRolled() {
    return plan.kept() != null;
  }

  Points.Span whole() {
    return new Points.Span(span.from(), span.to(), span.to() - span.from(), span.known());
  }
}
