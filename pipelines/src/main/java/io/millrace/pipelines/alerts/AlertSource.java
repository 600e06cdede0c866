package io.millrace.pipelines.alerts;

import io.millrace.analytics.alerts.AlertKind;
import java.util.List;

/**
 * A table of the keys that windows reported, for the history of alerts.
 *
 * @param kinds of its alerts
 * @param select a SELECT of the columns of {@link io.millrace.analytics.alerts.AlertRows#REPORTED},
 *     with no condition on the time
 */
public record AlertSource(List<AlertKind> kinds, String select) {
  /** Copies the kinds. */
  public AlertSource {
    kinds = List.copyOf(kinds);
  }
}
