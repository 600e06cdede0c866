package io.millrace.pulse;

import java.util.Locale;
import java.util.TimeZone;

/**
 * Constant defaults in place of the host's. Libraries format and parse text by them: in a Turkish
 * locale Kafka's {@code "classic"} becomes {@code CLASSİC} in upper case, and a time without a zone
 * depends on the host.
 */
public final class HostDefaults {
  private HostDefaults() {}

  /**
   * Sets the default locale to {@link Locale#ROOT} and the default time zone to UTC. Each {@code
   * main} calls it first, since classes cache defaults when they are loaded.
   */
  public static void set() {
    Locale.setDefault(Locale.ROOT);
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
  }
}
