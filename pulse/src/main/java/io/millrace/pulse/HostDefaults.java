package io.millrace.pulse;

import java.util.Locale;
import java.util.TimeZone;

/**
 * Sets a fixed default locale and time zone, which libraries use to format and parse text. In a
 * Turkish locale, Kafka's {@code "classic"} becomes {@code CLASSİC} in upper case; a time without a
 * zone depends on the host's.
 */
public final class HostDefaults {
  private HostDefaults() {}

  /**
   * Sets the default locale to {@link Locale#ROOT} and the default time zone to UTC. Each {@code
   * main} calls this first, because classes cache defaults when they are loaded.
   */
  public static void set() {
    Locale.setDefault(Locale.ROOT);
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
  }
}
