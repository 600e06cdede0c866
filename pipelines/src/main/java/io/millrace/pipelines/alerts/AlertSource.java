package io.millrace.pipelines.alerts;

import io.millrace.analytics.alerts.AlertKind;
import java.util.List;

/**
 * Source of the keys that windows reported, for the history of alerts.
 *
 * @param kinds of its alerts
 * @param select a SELECT of the columns of {@link io.millrace.analytics.alerts.AlertRows#REPORTED},
 *     without a condition on the time
 */
public record AlertSource(List<AlertKind> kinds, String select) {
  public AlertSource {
    kinds = List.copyOf(kinds);
  }
}
