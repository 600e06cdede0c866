package io.millrace.wire.record;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import io.millrace.wire.record.RecordSchema.Field;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** The current record. Texts are copied from the sender's bytes when the row is added. */
final class RecordRow {
  /** The year 2000. Times in a wrong unit are outside the range from 2000 to 2100. */
  private static final long FIRST_MICROS = 946_684_800_000_000L;

  private static final long LAST_MICROS = 4_102_444_800_000_000L;

  static final String MISSING = "missing";

  private static final String MISSING_ATTRIBUTE = "missing in both the record and the request";

  private final int size;
  final byte[][] names;
  private final String[] texts;
  final RecordSchema.Type[] types;
  private final long[] min;
  private final long[] max;
  private final long[] unit; // microseconds of times; 1 of others
  private final String[] expected;
  private final long required; // one bit per field
  private final long attributes; // as above
  private final byte[][][] choices;
  final boolean[] isRounded;
  private final int[] textFields;
  private final int key;

  // Values of absent fields.
  private final long[] absentLong;
  private final double[] absentDouble;
  private final byte[][] absentText;

  // State of the row.
  private final byte[][] textBytes;
  private final int[] textStart;
  private final int[] textLength;
  private long present;

  private RecordAttributes ofRequest;
  private TableBlock last; // whose columns these are
  private int lastCapacity;
  private TableBlock into;
  private int row;
  private long[][] longs;
  private double[][] doubles;
  private Texts[] columns;

  RecordRow(RecordSchema schema) {
    List<Field> fields = schema.fields();
    size = fields.size();
    names = new byte[size][];
    texts = new String[size];
    types = new RecordSchema.Type[size];
    min = new long[size];
    max = new long[size];
    unit = new long[size];
    expected = new String[size];
    choices = new byte[size][][];
    isRounded = new boolean[size];
    absentLong = new long[size];
    absentDouble = new double[size];
    absentText = new byte[size][];
    long bits = 0;
    long attributeBits = 0;
    for (int i = 0; i < size; i++) {
      Field field = fields.get(i);
      texts[i] = field.name();
      names[i] = field.name().getBytes(StandardCharsets.US_ASCII);
      types[i] = field.type();
      boolean isTime = field.type() == RecordSchema.Type.TIME;
      unit[i] = isTime ? field.unit().toMicros(1) : 1;
      min[i] = isTime ? FIRST_MICROS / unit[i] : field.min();
      max[i] = isTime ? LAST_MICROS / unit[i] : field.max();
      expected[i] =
          expected(field, field.name().equals(schema.key()) ? " without control characters" : "");
      bits |= field.required() ? 1L << i : 0;
      attributeBits |= field.attribute() ? 1L << i : 0;
      isRounded[i] = field.rounded();
      choices[i] =
          field.choices().stream()
              .map(choice -> choice.getBytes(StandardCharsets.US_ASCII))
              .toArray(byte[][]::new);
      absentLong[i] = absent(field);
      absentDouble[i] = field.absent() instanceof Double number ? number : Double.NaN;
      absentText[i] =
          field.absent() instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : null;
    }
    required = bits;
    attributes = attributeBits;
    key = schema.indexOf(schema.key());
    textFields = IntStream.range(0, size).filter(i -> types[i] == RecordSchema.Type.TEXT).toArray();
    textBytes = new byte[size][];
    textStart = new int[size];
    textLength = new int[size];
    longs = new long[size][];
    doubles = new double[size][];
    columns = new Texts[size];
  }

  static long absent(Field field) {
    if (field.type() == RecordSchema.Type.CHOICE) {
      return field.absent() == null ? TableBlock.NULL : field.choices().indexOf(field.absent()) + 1;
    }
    return field.absent() instanceof Long number
        ? number
        : field.absent() instanceof Boolean flag ? (flag ? 1 : 0) : TableBlock.NULL;
  }

  private static String expected(Field field, String ofKey) {
    return switch (field.type()) {
      case NUMBER -> "expected a whole number from %d to %d".formatted(field.min(), field.max());
      case FRACTION ->
          field.min() == Long.MIN_VALUE
              ? "expected a finite number"
              : "expected a number from %d to %d".formatted(field.min(), field.max());
      case TEXT ->
          "expected %d to %d bytes of UTF-8 text%s".formatted(field.min(), field.max(), ofKey);
      case FLAG -> "expected true or false";
      case CHOICE -> "expected " + RecordSchema.oneOf(field.choices());
      case TIME ->
          "expected %s since the epoch, from the year 2000 to 2100"
              .formatted(field.unit().name().toLowerCase(Locale.ROOT));
    };
  }

  int size() {
    return size;
  }

  String name(int field) {
    return texts[field];
  }

  String expected(int field) {
    return expected[field];
  }

  boolean isNullable(int field) {
    if ((attributes & 1L << field) != 0) {
      return true;
    }
    return (required & 1L << field) == 0
        && switch (types[field]) {
          case TEXT -> absentText[field] == null;
          case FRACTION -> Double.isNaN(absentDouble[field]);
          default -> absentLong[field] == TableBlock.NULL;
        };
  }

  void wrap(TableBlock block, RecordAttributes given) {
    into = block;
    ofRequest = given;
    row = block.rows();
    if (block != last || block.capacity() != lastCapacity) {
      takeColumns();
    }
  }

  private void takeColumns() {
    last = into;
    lastCapacity = into.capacity();
    for (int i = 0; i < size; i++) {
      longs[i] = into.longs(i);
      doubles[i] = into.doubles(i);
      columns[i] = into.texts(i);
    }
  }

  void begin() {
    present = 0;
    if (row == into.capacity()) {
      into.rows(row);
      into.reserve(Math.max(16, row));
      takeColumns();
    }
  }

  void forget(int field) {
    present &= ~(1L << field);
  }

  boolean put(int field, long value) {
    if (value < min[field] || value > max[field]) {
      return false;
    }
    longs[field][row] = value * unit[field];
    present |= 1L << field;
    return true;
  }

  boolean putMicros(int field, long micros) {
    if (micros < FIRST_MICROS || micros > LAST_MICROS) {
      return false;
    }
    longs[field][row] = micros;
    present |= 1L << field;
    return true;
  }

  boolean put(int field, double value) {
    if (!(Math.abs(value) <= Double.MAX_VALUE)
        || (min[field] != Long.MIN_VALUE && (value < min[field] || value > max[field]))) {
      return false;
    }
    doubles[field][row] = value;
    present |= 1L << field;
    return true;
  }

  /** Sets a choice by its word; false if there is none. */
  boolean putChoice(int field, byte[] bytes, int start, int length) {
    byte[][] words = choices[field];
    for (int i = 0; i < words.length; i++) {
      if (words[i].length == length
          && Arrays.equals(words[i], 0, length, bytes, start, start + length)) {
        return put(field, i + 1);
      }
    }
    return false;
  }

  /** Sets a text, whose bytes must not change until the row is added; false if invalid. */
  boolean put(int field, byte[] bytes, int start, int length) {
    if (length < min[field]
        || length > max[field]
        || !Utf8.isValid(bytes, start, length)
        || (field == key && Utf8.hasControls(bytes, start, length))) {
      return false;
    }
    textBytes[field] = bytes;
    textStart[field] = start;
    textLength[field] = length;
    present |= 1L << field;
    return true;
  }

  /** The first required field that is missing; negative if there is none. */
  int missing() {
    long missing = required & ~present & ~ofRequest.given;
    return missing == 0 ? -1 : Long.numberOfTrailingZeros(missing);
  }

  String missing(int field) {
    return (attributes & 1L << field) == 0 ? MISSING : MISSING_ATTRIBUTE;
  }

  void add() {
    for (int field : textFields) {
      Texts column = columns[field];
      if ((present & 1L << field) != 0) {
        column.add(textBytes[field], textStart[field], textLength[field]);
      } else if (absentText[field] != null) {
        column.add(absentText[field], 0, absentText[field].length);
      } else {
        column.add(null);
      }
    }
    long all = size == Long.SIZE ? -1 : (1L << size) - 1;
    for (long absent = all & ~present; absent != 0; absent &= absent - 1) {
      int field = Long.numberOfTrailingZeros(absent);
      if (doubles[field] != null) {
        doubles[field][row] = absentDouble[field];
      } else if (longs[field] != null) {
        longs[field][row] =
            (ofRequest.given & 1L << field) == 0 ? absentLong[field] : ofRequest.values[field];
      }
    }
    row++;
  }

  void finish() {
    into.rows(row);
    Arrays.fill(textBytes, null);
    into = null;
  }

  void fillAbsent(TableBlock block, int field) {
    int rows = block.rows();
    if (types[field] == RecordSchema.Type.TEXT) {
      Texts column = block.texts(field);
      for (int i = 0; i < rows; i++) {
        if (absentText[field] == null) {
          column.add(null);
        } else {
          column.add(absentText[field], 0, absentText[field].length);
        }
      }
    } else if (types[field] == RecordSchema.Type.FRACTION) {
      Arrays.fill(block.doubles(field), 0, rows, absentDouble[field]);
    } else {
      Arrays.fill(block.longs(field), 0, rows, absentLong[field]);
    }
  }
}
