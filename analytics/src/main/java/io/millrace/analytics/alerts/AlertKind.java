package io.millrace.analytics.alerts;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Type of an alert. */
public enum AlertKind {
  /** A key reached the threshold of heavy hitters. */
  HITTER("heavy hitter"),
  /** A key's volume changed by at least the threshold between two epochs. */
  CHANGER("volume change"),
  /** A key's count deviates from the expected one. */
  TREND("trend");

  private final String title;

  AlertKind(String title) {
    this.title = title;
  }

  /** Name in results and in the configuration. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Name in a sentence. */
  public String title() {
    return title;
  }

  /** The kind of a label; empty if unknown. */
  public static Optional<AlertKind> of(String label) {
    return Arrays.stream(values()).filter(each -> each.label().equals(label)).findFirst();
  }
}
