package io.millrace.analytics.plugin;

/** A setting of a plugin is missing or wrong; the message says which, the value and what to do. */
public final class SettingException extends RuntimeException {
  /** Such as {@code plugins.settings.packets_by_country.table: there is none; name a CSV file}. */
  public SettingException(String message) {
    super(message);
  }
}
