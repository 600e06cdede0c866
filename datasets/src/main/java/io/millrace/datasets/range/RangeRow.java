package io.millrace.datasets.range;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Columns.Role;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.csv.AddressReader;
import io.millrace.datasets.csv.CsvReader;
import io.millrace.datasets.csv.LineFault;
import io.millrace.datasets.csv.MacReader;
import io.millrace.datasets.csv.Utf8;
import io.millrace.datasets.yaml.YamlRows;
import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Parses a CSV record into its key (range, address and number, or MAC address) and values, by the
 * declared columns.
 *
 * <p>Tables of AS numbers come in two forms: if a number is declared before a text and a record has
 * one column less, a value such as {@code AS64496 Example} is split into both.
 */
final class RangeRow {
  private static final long MAX_NUMBER = 0xFFFF_FFFEL;
  private static final long NO_NUMBER = -1;
  private static final int MAX_VLAN = 4094;

  private final Columns columns;
  private final Records records;
  private final boolean byMac;
  private final int mergeable;
  private final AddressReader address = new AddressReader();
  private final int[] values;

  private long startHigh = Addresses.NULL;
  private long startLow = Addresses.NULL;
  private long endHigh;
  private long endLow;
  private long number;
  private long mac;
  private LineFault fault;
  private String what;

  RangeRow(Columns columns, Records records) {
    this.columns = columns;
    this.records = records;
    this.values = new int[columns.fields().size()];
    this.byMac = columns.indexOf(Role.MAC) >= 0;
    this.mergeable = mergeable(columns);
  }

  static CsvReader open(Path file, Columns columns) throws IOException {
    return YamlRows.isNamedSo(file) ? YamlRows.open(file, columns) : CsvReader.open(file);
  }

  private static int mergeable(Columns columns) {
    int field = 0;
    for (int i = 0; i + 1 < columns.roles().size(); i++) {
      if (columns.roles().get(i) == Role.FIELD) {
        if (!columns.fields().get(field).isText()
            && columns.roles().get(i + 1) == Role.FIELD
            && columns.fields().get(field + 1).isText()) {
          return i;
        }
        field++;
      }
    }
    return -1;
  }

  boolean isHeader(CsvReader csv) {
    for (int i = 0; i < Math.min(csv.fields(), columns.roles().size()); i++) {
      Role role = columns.roles().get(i);
      if (role != Role.FIELD && role != Role.SKIPPED && !isWord(csv, i)) {
        return false;
      }
      if (role == Role.MAC && mac(csv, i) != MacReader.NONE) {
        return false;
      }
    }
    return csv.fields() > 0;
  }

  private static long mac(CsvReader csv, int column) {
    return MacReader.parse(csv.bytes(), csv.start(column), csv.end(column));
  }

  private static boolean isWord(CsvReader csv, int column) {
    for (int p = csv.start(column); p < csv.end(column); p++) {
      byte b = csv.bytes()[p];
      if (b == '.' || b == ':') {
        return false;
      }
    }
    return csv.start(column) < csv.end(column)
        && Character.isLetter(csv.bytes()[csv.start(column)]);
  }

  boolean read(CsvReader csv) {
    fault = null;
    if (csv.fault() != null) {
      return fail(LineFault.QUOTING, csv.fault());
    }
    int declared = columns.roles().size();
    boolean merged = csv.fields() == declared - 1 && mergeable >= 0 && startsWithAs(csv, mergeable);
    if (csv.fields() != declared && !merged) {
      return fail(
          LineFault.COLUMNS, csv.fields() + " columns; expected " + declared + ": " + columns);
    }
    int field = 0;
    for (int i = 0; i < declared; i++) {
      int column = merged && i > mergeable ? i - 1 : i;
      int start = csv.start(column);
      int end = csv.end(column);
      if (merged && i == mergeable) {
        end = indexOf(csv.bytes(), start, end, ' ');
      } else if (merged && i == mergeable + 1) {
        start = Math.min(indexOf(csv.bytes(), start, end, ' ') + 1, end);
      }
      boolean sound =
          switch (columns.roles().get(i)) {
            case START -> readStart(csv, start, end);
            case END -> readEnd(csv, start, end);
            case CIDR, IP -> readCidr(csv, start, end);
            case EXPORTER, PROTO -> readDevice(csv, start, end);
            case MAC -> readMac(csv, start, end);
            case VLAN -> readVlan(csv, start, end);
            case INTERFACE, VRF, PORT -> {
              number = readNumber(csv, columns.roles().get(i).toString(), start, end);
              yield number != NO_NUMBER;
            }
            case SKIPPED -> true;
            case FIELD -> {
              int f = field++;
              yield columns.fields().get(f).isText()
                  ? readText(csv, f, start, end)
                  : readNumber(csv, f, start, end);
            }
          };
      if (!sound) {
        return false;
      }
    }
    if (byMac) {
      return true;
    }
    if (Addresses.isV4(startHigh, startLow) != Addresses.isV4(endHigh, endLow)
        || Ranges.compare(startHigh, startLow, endHigh, endLow) > 0) {
      return fail(
          LineFault.REVERSED,
          "range "
              + Addresses.toText(startHigh, startLow)
              + " to "
              + Addresses.toText(endHigh, endLow)
              + ": start is greater than end, or mixed address families");
    }
    return true;
  }

  private static boolean startsWithAs(CsvReader csv, int column) {
    int start = csv.start(column);
    byte[] bytes = csv.bytes();
    return csv.end(column) - start > 2
        && (bytes[start] | 0x20) == 'a'
        && (bytes[start + 1] | 0x20) == 's'
        && bytes[start + 2] >= '0'
        && bytes[start + 2] <= '9';
  }

  private static int indexOf(byte[] bytes, int start, int end, char wanted) {
    int p = start;
    while (p < end && bytes[p] != wanted) {
      p++;
    }
    return p;
  }

  private boolean readStart(CsvReader csv, int start, int end) {
    if (!address.parse(csv.bytes(), start, end)) {
      return failAddress(csv, start, end, "is not an address");
    }
    startHigh = address.high();
    startLow = address.low();
    return true;
  }

  private boolean readEnd(CsvReader csv, int start, int end) {
    if (!address.parse(csv.bytes(), start, end)) {
      return failAddress(csv, start, end, "is not an address");
    }
    endHigh = address.high();
    endLow = address.low();
    return true;
  }

  /** Reads the exporter; with a MAC address, an empty exporter means any. */
  private boolean readDevice(CsvReader csv, int start, int end) {
    if (byMac && start == end) {
      startHigh = Addresses.NULL;
      startLow = Addresses.NULL;
      return true;
    }
    return readStart(csv, start, end) && readEnd(csv, start, end);
  }

  private boolean readMac(CsvReader csv, int start, int end) {
    mac = MacReader.parse(csv.bytes(), start, end);
    return mac != MacReader.NONE
        || fail(
            LineFault.MAC,
            quoted(csv, start, end) + " is not a MAC address such as 00:00:5e:00:53:01");
  }

  private boolean readVlan(CsvReader csv, int start, int end) {
    if (start == end) {
      number = MacTable.ANY;
      return true;
    }
    number = readNumber(csv, "vlan", start, end);
    return number != NO_NUMBER
        && ((number >= 1 && number <= MAX_VLAN)
            || fail(
                LineFault.NUMBER,
                number + " is not a VLAN from 1 to " + MAX_VLAN + "; leave it empty for any"));
  }

  private boolean readCidr(CsvReader csv, int start, int end) {
    byte[] bytes = csv.bytes();
    int slash = indexOf(bytes, start, end, '/');
    if (!readStart(csv, start, slash)) {
      return failAddress(csv, start, end, "is not an address block");
    }
    boolean v4 = Addresses.isV4(startHigh, startLow);
    boolean v4AsV6 = v4 && indexOf(bytes, start, slash, ':') < slash;
    int length = slash == end ? 128 : number(bytes, slash + 1, end);
    if (v4 && !v4AsV6 && slash < end) {
      length = length < 0 || length > 32 ? -1 : length + 96;
    }
    if (length < (v4 ? 96 : 0) || length > 128) {
      return failAddress(csv, start, end, "has an invalid prefix length");
    }
    long highMask = length >= 64 ? 0 : -1L >>> length;
    long lowMask = length >= 128 ? 0 : length <= 64 ? -1L : -1L >>> (length - 64);
    if ((startHigh & highMask) != 0 || (startLow & lowMask) != 0) {
      return failAddress(csv, start, end, "has host bits set");
    }
    endHigh = startHigh | highMask;
    endLow = startLow | lowMask;
    return true;
  }

  private static int number(byte[] bytes, int start, int end) {
    if (start == end || end - start > 3) {
      return -1;
    }
    int value = 0;
    for (int p = start; p < end; p++) {
      if (bytes[p] < '0' || bytes[p] > '9') {
        return -1;
      }
      value = value * 10 + bytes[p] - '0';
    }
    return value;
  }

  private boolean readNumber(CsvReader csv, int field, int start, int end) {
    if (start == end) {
      values[field] = Dataset.UNKNOWN;
      return true;
    }
    byte[] bytes = csv.bytes();
    boolean as =
        end - start > 2 && (bytes[start] | 0x20) == 'a' && (bytes[start + 1] | 0x20) == 's';
    long value = readNumber(csv, columns.fields().get(field).name(), as ? start + 2 : start, end);
    values[field] = (int) value;
    return value != NO_NUMBER;
  }

  private long readNumber(CsvReader csv, String column, int start, int end) {
    long value = start == end ? NO_NUMBER : 0;
    for (int p = start; p < end && value != NO_NUMBER; p++) {
      int digit = csv.bytes()[p] - '0';
      value = digit < 0 || digit > 9 || value > MAX_NUMBER ? NO_NUMBER : value * 10 + digit;
    }
    if (value == NO_NUMBER || value > MAX_NUMBER) {
      fail(
          LineFault.NUMBER,
          quoted(csv, start, end)
              + " in column "
              + column.toLowerCase(Locale.ROOT)
              + " is not a number from 0 to "
              + MAX_NUMBER);
      return NO_NUMBER;
    }
    return value;
  }

  private boolean readText(CsvReader csv, int field, int start, int end) {
    if (!Utf8.isValid(csv.bytes(), start, end)) {
      return fail(LineFault.TEXT, "column " + columns.fields().get(field).name() + " is not UTF-8");
    }
    values[field] =
        start == end ? Dataset.UNKNOWN : records.texts(field).ordinal(csv.bytes(), start, end);
    return true;
  }

  private boolean failAddress(CsvReader csv, int start, int end, String what) {
    return fail(LineFault.ADDRESS, quoted(csv, start, end) + " " + what);
  }

  private static String quoted(CsvReader csv, int start, int end) {
    int shown = Math.min(end, start + 80);
    return "\"" + new String(csv.bytes(), start, shown - start, StandardCharsets.UTF_8) + "\"";
  }

  private boolean fail(LineFault kind, String why) {
    fault = kind;
    what = why;
    return false;
  }

  LineFault fault() {
    return fault;
  }

  String what() {
    return what;
  }

  /** Values of the record, one for each field; reused by the next record. */
  int[] values() {
    return values;
  }

  int number() {
    return (int) number;
  }

  long mac() {
    return mac;
  }

  long startHigh() {
    return startHigh;
  }

  long startLow() {
    return startLow;
  }

  long endHigh() {
    return endHigh;
  }

  long endLow() {
    return endLow;
  }
}
