package io.millrace.pipelines.datasets;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.keyed.KeyBytes;
import io.millrace.analytics.keyed.KeyColumns;
import io.millrace.datasets.csv.CsvReader;
import io.millrace.datasets.csv.Utf8;
import io.millrace.engine.table.TableTopic;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A small in-memory lookup table with a key of several columns, such as (location area, cell) →
 * controller. Parsed from CSV with a header line. Immutable, thread-safe.
 */
public final class LookupTable {
  private final TableBlock rows;
  private final ByteKeyTable index; // key → row number

  private LookupTable(TableBlock rows, ByteKeyTable index) {
    this.rows = rows;
    this.index = index;
  }

  /**
   * Parser of CSV, for a {@link TableTopic}: a version of the table is the content of a file.
   *
   * @param schema of the columns that are read; the file may have others, in any order
   * @param key columns that are unique together
   */
  public record Csv(TableSchema schema, List<String> key)
      implements TableTopic.Parser<LookupTable> {
    public Csv {
      key = List.copyOf(key);
      KeyColumns.of(schema, key.toArray(String[]::new));
    }

    @Override
    public LookupTable parse(byte[] version) throws IOException {
      try (CsvReader in = CsvReader.read(new ByteArrayInputStream(version))) {
        if (!in.next()) {
          throw new IOException("the file is empty, expected a header line with column names");
        }
        return read(in, fields(in));
      }
    }

    private int[] fields(CsvReader in) throws IOException {
      List<String> names = new ArrayList<>();
      for (int i = 0; i < in.fields(); i++) {
        names.add(in.text(i));
      }
      int[] fields = new int[schema.size()];
      for (int column = 0; column < fields.length; column++) {
        String name = schema.columns().get(column).name();
        fields[column] = names.indexOf(name);
        if (fields[column] < 0) {
          throw new IOException("line " + in.line() + ": the column " + name + " is missing");
        }
      }
      return fields;
    }

    private LookupTable read(CsvReader in, int[] fields) throws IOException {
      KeyColumns keys = KeyColumns.of(schema, key.toArray(String[]::new));
      KeyBytes bytes = new KeyBytes();
      TableBlock rows = new TableBlock(schema, 64);
      ByteKeyTable index = new ByteKeyTable(KeyGroups.all(), 0);
      Map<Integer, Long> lines = new HashMap<>();
      while (in.next()) {
        readRow(in, fields, rows);
        int row = rows.rows() - 1;
        int entry = index.entry(keys.read(rows, row, bytes));
        if (entry < row) {
          throw new IOException("line " + in.line() + ": same key as line " + lines.get(entry));
        }
        lines.put(row, in.line());
      }
      return new LookupTable(rows, index);
    }

    private void readRow(CsvReader in, int[] fields, TableBlock rows) throws IOException {
      if (in.fault() != null) {
        throw new IOException("line " + in.line() + ": " + in.fault());
      }
      rows.reserve(1);
      int row = rows.rows();
      for (int column = 0; column < fields.length; column++) {
        String name = schema.columns().get(column).name();
        if (fields[column] >= in.fields()) {
          throw new IOException("line " + in.line() + ": missing field " + name);
        }
        readField(in, fields[column], name, rows, row, column);
      }
      rows.rows(row + 1);
    }

    private void readField(
        CsvReader in, int field, String name, TableBlock rows, int row, int column)
        throws IOException {
      int start = in.start(field);
      int end = in.end(field);
      String text = in.text(field);
      try {
        switch (schema.type(column)) {
          case TIME, LONG -> rows.longs(column)[row] = Long.parseLong(text);
          case DOUBLE -> rows.doubles(column)[row] = Double.parseDouble(text);
          case ADDRESS -> {
            long[] address = new long[2];
            if (!Addresses.parse(text, address)) {
              throw new IllegalArgumentException("not an IP address");
            }
            rows.addressHigh(column)[row] = address[0];
            rows.addressLow(column)[row] = address[1];
          }
          case TEXT -> {
            if (!Utf8.isValid(in.bytes(), start, end)) {
              throw new IllegalArgumentException("not UTF-8");
            }
            rows.texts(column).add(in.bytes(), start, end - start);
          }
        }
      } catch (IllegalArgumentException e) {
        throw new IOException(
            "line " + in.line() + ": " + name + " '" + text + "' is not a " + words(column), e);
      }
    }

    private String words(int column) {
      return switch (schema.type(column)) {
        case TIME -> "time in microseconds";
        case LONG -> "whole number";
        case DOUBLE -> "number";
        case ADDRESS -> "IP address";
        case TEXT -> "text in UTF-8";
      };
    }
  }

  /** Row number of a key with parts in column order; −1 if there is none. */
  int find(KeyBytes key) {
    return index.find(key);
  }

  /** The rows; must not be changed. */
  public TableBlock rows() {
    return rows;
  }
}
