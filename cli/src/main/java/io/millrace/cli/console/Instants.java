package io.millrace.cli.console;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;

/** Points in time as people write them: ISO 8601, in UTC where no zone is said. */
public final class Instants {
  private Instants() {}

  /**
   * The instant that a text means.
   *
   * @param option whose value it is, for the message
   * @throws UsageException if it is none
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
          option + " " + text + " is not a time, write 2026-01-31T12:00:00 (UTC) or 2026-01-31");
    }
  }
}
