package io.millrace.pulse;

import java.util.Locale;
import java.util.TimeZone;

/**
 * The defaults that a JVM takes from its host, replaced by constant ones. Libraries format and
 * parse text by them: in a Turkish locale Kafka's {@code "classic"} becomes {@code CLASSİC} in
 * upper case, and a time without a zone is another instant on another host.
 */
public final class HostDefaults {
  private HostDefaults() {}

  /**
   * Sets the default locale to {@link Locale#ROOT} and the default time zone to UTC. Each {@code
   * main} calls it first, since classes keep what they find when they are loaded.
   */
  public static void set() {
    Locale.setDefault(Locale.ROOT);
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
  }
}
