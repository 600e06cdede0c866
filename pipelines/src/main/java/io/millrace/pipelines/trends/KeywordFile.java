package io.millrace.pipelines.trends;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/**
 * A file of keywords with times, gzipped if its name ends in {@code .gz}. The name determines one
 * of two formats:
 *
 * <pre>
 *   pageviews-20260101-130000.gz     en Main_Page 4217 0
 *   (or pagecounts-…)                project, title, count, bytes; the hour before the name's time
 *
 *   any other                        "Main, Page",2026-01-01T12:00:07Z,3
 *                                    keyword, time, and a count if it is not 1
 * </pre>
 *
 * <p>The keyword of a page view is project and title separated by a blank. Times of lines are
 * instants (RFC 3339) or numbers since the epoch: seconds, or, by their size, milli- or
 * microseconds. Invalid lines are skipped and counted by reason.
 */
public final class KeywordFile {
  /** Reason why a line is skipped. */
  public enum Reject {
    /** A field is missing, or the keyword is empty. */
    FIELDS,
    /** The keyword is longer than 1,024 bytes. */
    LONG_KEYWORD,
    /** The time is invalid. */
    TIME,
    /** The count is invalid, or not in 1 to 10¹². */
    COUNT;

    /** Text for users. */
    public String label() {
      return switch (this) {
        case FIELDS -> "without keyword, time or count";
        case LONG_KEYWORD -> "with a keyword of more than " + LONGEST_KEYWORD + " bytes";
        case TIME -> "with an invalid time";
        case COUNT -> "with a count outside 1 to 10^12";
      };
    }
  }

  /** Receives keywords. */
  @FunctionalInterface
  public interface Sink {
    /** Receives a keyword; see {@link TrendShards#add}. */
    void add(byte[] utf8, int offset, int length, long micros, long count) throws Exception;
  }

  static final int LONGEST_KEYWORD = 1_024;
  private static final int LONGEST_LINE = 1 << 16;
  private static final long MAX = 1_000_000_000_000L;
  private static final long NONE = Long.MIN_VALUE;
  private static final Pattern PAGE_VIEWS =
      Pattern.compile("page(?:views|counts)-([0-9]{8}-[0-9]{6})(?:\\.gz)?");
  private static final DateTimeFormatter NAMED = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");
  private static final long HOUR = 3_600_000_000L;

  private final Path file;
  private final Sink sink;
  private final Map<Reject, Long> rejects = new EnumMap<>(Reject.class);
  private final byte[] buffer = new byte[LONGEST_LINE];

  private byte[] keyword = new byte[64];

  private int unquoted;

  private long hour = NONE;

  /** Creates a reader. */
  public KeywordFile(Path file, Sink sink) {
    this.file = file;
    this.sink = sink;
    Matcher matcher = PAGE_VIEWS.matcher(file.getFileName().toString());
    if (matcher.matches()) {
      try {
        LocalDateTime end = LocalDateTime.parse(matcher.group(1), NAMED);
        hour = end.toEpochSecond(ZoneOffset.UTC) * 1_000_000 - HOUR;
      } catch (DateTimeParseException e) {
        throw new IllegalArgumentException(
            file + ": the name has no valid time, expected YYYYMMDD-hhmmss", e);
      }
    }
  }

  /** Whether the file has page views. */
  public boolean isPageViews() {
    return hour != NONE;
  }

  /** Skipped lines, by reason. */
  public Map<Reject, Long> rejects() {
    return rejects;
  }

  /**
   * Reads the file.
   *
   * @throws IOException if it cannot be read
   */
  public void read() throws Exception {
    try (InputStream in = open()) {
      int filled = 0;
      boolean isSkipping = false; // whether the current line is longer than the buffer
      for (int read; (read = in.read(buffer, filled, buffer.length - filled)) >= 0; ) {
        int end = filled + read;
        int from = 0;
        for (int at = filled; at < end; at++) {
          if (buffer[at] == '\n') {
            if (!isSkipping) {
              line(from, at);
            }
            isSkipping = false;
            from = at + 1;
          }
        }
        filled = end - from;
        System.arraycopy(buffer, from, buffer, 0, filled);
        if (filled == buffer.length) {
          if (!isSkipping) {
            reject(Reject.LONG_KEYWORD);
          }
          isSkipping = true;
          filled = 0;
        }
      }
      if (filled > 0 && !isSkipping) {
        line(0, filled);
      }
    }
  }

  private InputStream open() throws IOException {
    InputStream in = Files.newInputStream(file);
    try {
      return file.toString().endsWith(".gz")
          ? new GZIPInputStream(in, 1 << 16)
          : new BufferedInputStream(in, 1 << 16);
    } catch (IOException e) {
      in.close();
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  private void reject(Reject reason) {
    rejects.merge(reason, 1L, Long::sum);
  }

  private void line(int from, int to) throws Exception {
    int end = to > from && buffer[to - 1] == '\r' ? to - 1 : to;
    if (end > from) {
      Reject reason = hour == NONE ? event(from, end) : pageView(from, end);
      if (reason != null) {
        reject(reason);
      }
    }
  }

  private Reject pageView(int from, int end) throws Exception {
    int title = indexOf(' ', from, end) + 1;
    int space = indexOf(' ', title, end);
    int secondSpace = space < 0 ? -1 : indexOf(' ', space + 1, end);
    if (title == 0 || space <= title) {
      return Reject.FIELDS;
    }
    return add(
        buffer, from, space - from, hour, number(space + 1, secondSpace < 0 ? end : secondSpace));
  }

  private Reject event(int from, int end) throws Exception {
    int comma;
    int length;
    byte[] source = buffer;
    int start = from;
    if (buffer[from] == '"') {
      comma = unquote(from + 1, end);
      source = keyword;
      start = 0;
      length = unquoted;
    } else {
      comma = indexOf(',', from, end);
      length = comma - from;
    }
    if (comma < 0 || length == 0) {
      return Reject.FIELDS;
    }
    int second = indexOf(',', comma + 1, end);
    long micros = time(comma + 1, second < 0 ? end : second);
    if (micros == NONE) {
      return Reject.TIME;
    }
    return add(source, start, length, micros, second < 0 ? 1 : number(second + 1, end));
  }

  private Reject add(byte[] utf8, int offset, int length, long micros, long count)
      throws Exception {
    if (count < 1 || count > MAX) {
      return Reject.COUNT;
    }
    if (length > LONGEST_KEYWORD) {
      return Reject.LONG_KEYWORD;
    }
    sink.add(utf8, offset, length, micros, count);
    return null;
  }

  /** Parses a quoted keyword; returns the index of the following comma, −1 if there is none. */
  private int unquote(int from, int end) {
    unquoted = 0;
    for (int at = from; at < end; at++) {
      if (buffer[at] == '"') {
        if (at + 1 == end || buffer[at + 1] != '"') {
          return at + 1 < end && buffer[at + 1] == ',' ? at + 1 : -1;
        }
        at++;
      }
      if (unquoted == keyword.length) {
        keyword = Arrays.copyOf(keyword, 2 * unquoted);
      }
      keyword[unquoted++] = buffer[at];
    }
    return -1;
  }

  private int indexOf(char wanted, int from, int end) {
    for (int at = from; at < end; at++) {
      if (buffer[at] == wanted) {
        return at;
      }
    }
    return -1;
  }

  /** Parses a number that consists of digits only; −1 if it is invalid. */
  private long number(int from, int end) {
    if (end <= from || end - from > 18) {
      return -1;
    }
    long number = 0;
    for (int at = from; at < end; at++) {
      int digit = buffer[at] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  private long time(int from, int end) {
    long number = number(from, end);
    if (number >= 0) {
      return number < 100_000_000_000L
          ? number * 1_000_000
          : number < 100_000_000_000_000L ? number * 1_000 : number;
    }
    try {
      Instant instant = Instant.parse(new String(buffer, from, end - from, StandardCharsets.UTF_8));
      return Math.addExact(
          Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
    } catch (DateTimeParseException | ArithmeticException e) {
      return NONE;
    }
  }
}
