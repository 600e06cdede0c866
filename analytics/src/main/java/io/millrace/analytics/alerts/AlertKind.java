package io.millrace.analytics.alerts;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What an alert is about. */
public enum AlertKind {
  /** A key has reached the threshold of heavy hitters. */
  HITTER("heavy hitter"),
  /** A key's volume has changed by the threshold from one epoch to the next. */
  CHANGER("changer"),
  /** A key's count is not what was expected. */
  TREND("trend");

  private final String title;

  AlertKind(String title) {
    this.title = title;
  }

  /** As it stands in results and in the configuration. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** In a sentence. */
  public String title() {
    return title;
  }

  /** The kind of a label, if it is one. */
  public static Optional<AlertKind> of(String label) {
    return Arrays.stream(values()).filter(each -> each.label().equals(label)).findFirst();
  }
}
