package io.millrace.cli.console;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;

/** Parses ISO 8601 times, UTC by default. */
public final class Instants {
  private Instants() {}

  /**
   * Parses a time.
   *
   * @param option name of the option, for the message
   * @throws UsageException if the text is not a time
   */
  public static Instant parse(String option, String text) {
    String iso = text.strip().replace(' ', 'T');
    try {
      if (iso.length() <= 10) {
        return LocalDate.parse(iso).atStartOfDay(ZoneOffset.UTC).toInstant();
      }
      if (iso.endsWith("Z") || iso.lastIndexOf('+') > 10 || iso.lastIndexOf('-') > 10) {
        return java.time.OffsetDateTime.parse(iso).toInstant();
      }
      return LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC);
    } catch (DateTimeParseException e) {
      throw new UsageException(
          option
              + " "
              + text
              + ": expected a time such as 2026-01-31T12:00:00 (UTC) or 2026-01-31");
    }
  }
}
