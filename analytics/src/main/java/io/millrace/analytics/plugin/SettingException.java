package io.millrace.analytics.plugin;

/** Missing or invalid setting of a plugin; the message has the key, the value and what to do. */
public final class SettingException extends RuntimeException {
  /** Such as {@code plugins.settings.packets_by_country.table: missing; name a CSV file}. */
  public SettingException(String message) {
    super(message);
  }
}
