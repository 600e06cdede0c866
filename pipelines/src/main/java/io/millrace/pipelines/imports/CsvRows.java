package io.millrace.pipelines.imports;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The records of a CSV file (RFC 4180), UTF-8 with or without a byte order mark. Invalid bytes
 * become U+FFFD. Empty lines are skipped.
 */
final class CsvRows implements TableRows {
  /** Maximum number of characters per record: a file without line ends must not fill the memory. */
  private static final int MAX = 1 << 20;

  private final CountingInput counted;
  private final BufferedReader in;
  private final char delimiter;
  private final boolean hasHeader;
  private final List<String> fields = new ArrayList<>();
  private final StringBuilder field = new StringBuilder();
  private int[] places = {};
  private long line = 1;
  private long start;
  private int peeked = -2;

  private CsvRows(CountingInput counted, BufferedReader in, Mapping mapping) {
    this.counted = counted;
    this.in = in;
    delimiter = mapping.delimiter();
    hasHeader = mapping.hasHeader();
  }

  static CsvRows open(FileContent content, Mapping mapping) throws IOException {
    CountingInput counted = content.open();
    try {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(content.plain(counted), StandardCharsets.UTF_8), 1 << 16);
      in.mark(1);
      if (in.read() != '\uFEFF') {
        in.reset();
      }
      return new CsvRows(counted, in, mapping);
    } catch (IOException | RuntimeException e) {
      counted.close();
      throw e;
    }
  }

  @Override
  public void select(List<String> columns) throws IOException {
    places = new int[columns.size()];
    if (!hasHeader) {
      Arrays.setAll(places, i -> Integer.parseInt(columns.get(i)) - 1);
      return;
    }
    if (!read()) {
      throw new IllegalArgumentException("the file has no header line");
    }
    List<String> names = fields.stream().map(String::strip).toList();
    for (int i = 0; i < places.length; i++) {
      places[i] = names.indexOf(columns.get(i));
      if (places[i] < 0) {
        throw TableRows.missing(columns.get(i), names);
      }
    }
  }

  @Override
  public List<String> next() throws IOException {
    if (!read()) {
      return null;
    }
    List<String> values = new ArrayList<>(places.length);
    for (int place : places) {
      values.add(place < fields.size() ? fields.get(place) : null);
    }
    return values;
  }

  private int take() throws IOException {
    int c = peeked == -2 ? in.read() : peeked;
    peeked = -2;
    return c;
  }

  private boolean read() throws IOException {
    boolean isEmpty = true;
    while (isEmpty) {
      fields.clear();
      start = line;
      if (!readLine()) {
        return false;
      }
      isEmpty = fields.size() == 1 && fields.get(0).isEmpty();
    }
    return true;
  }

  private boolean readLine() throws IOException {
    int length = 0;
    boolean isQuoted = false;
    boolean isFirst = true;
    field.setLength(0);
    while (true) {
      int c = take();
      if (++length > MAX) {
        throw new IOException("record with more than " + MAX + " characters at " + place());
      }
      if (c < 0) {
        if (length == 1) {
          return false;
        }
        if (isQuoted) {
          throw new IOException("unterminated quoted field at " + place());
        }
        fields.add(field.toString());
        return true;
      }
      if (c == '\n') {
        line++;
      }
      if (isQuoted) {
        if (c != '"') {
          field.append((char) c);
        } else {
          int after = take();
          if (after == '"') {
            field.append('"');
          } else {
            peeked = after;
            isQuoted = false;
          }
        }
      } else if (c == '"' && isFirst) {
        isQuoted = true;
        isFirst = false;
      } else if (c == delimiter) {
        fields.add(field.toString());
        field.setLength(0);
        isFirst = true;
      } else if (c == '\n') {
        fields.add(field.toString());
        return true;
      } else if (c != '\r') {
        field.append((char) c);
        isFirst = false;
      }
    }
  }

  @Override
  public String place() {
    return String.format(Locale.ROOT, "line %,d", start);
  }

  @Override
  public long position() {
    return counted.position();
  }

  @Override
  public void close() throws IOException {
    counted.close();
  }
}
