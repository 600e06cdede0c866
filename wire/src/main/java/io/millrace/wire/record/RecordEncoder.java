package io.millrace.wire.record;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import io.millrace.wire.record.RecordSchema.Field;
import java.nio.charset.StandardCharsets;

/**
 * Encoder of records of a schema, for their senders. Appends to a buffer of the caller. Fields with
 * their default are omitted where the encoding permits it. Immutable.
 */
public final class RecordEncoder {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int MARKER = 0x01C3;

  private final Field[] fields;
  private final byte[][] names; // in JSON, with quotes and colon
  private final long[] unit; // microseconds; 1 for fields other than times
  private final boolean[] isNullable;
  private final String schema;
  private final long fingerprint;

  /** An encoder of records of that schema. */
  public RecordEncoder(RecordSchema schema) {
    RecordRow row = new RecordRow(schema);
    fields = schema.fields().toArray(Field[]::new);
    names = new byte[fields.length][];
    unit = new long[fields.length];
    isNullable = new boolean[fields.length];
    for (int i = 0; i < fields.length; i++) {
      names[i] = ascii("\"" + fields[i].name() + "\":");
      unit[i] = fields[i].unit() == null ? 1 : fields[i].unit().toMicros(1);
      isNullable[i] = row.isNullable(i);
    }
    this.schema = schema.avro();
    fingerprint = AvroSchemas.fingerprint(schema.avroSchema());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Whether the value is the default, so that the field can be omitted. */
  private boolean isAbsent(TableBlock block, int field, int row) {
    Field of = fields[field];
    if (of.required()) {
      return false;
    }
    return switch (of.type()) {
      case TEXT ->
          of.absent() == null
              ? block.texts(field).isNull(row)
              : of.absent().equals(block.texts(field).get(row));
      case FRACTION ->
          of.absent() == null
              ? Double.isNaN(block.doubles(field)[row])
              : of.absent().equals(block.doubles(field)[row]);
      default -> block.longs(field)[row] == RecordRow.absent(of);
    };
  }

  /** Appends a row as a JSON object on one line, without a line feed. */
  public void json(TableBlock block, int row, BlockBuffer out) {
    char before = '{';
    for (int i = 0; i < fields.length; i++) {
      if (isAbsent(block, i, row)) {
        continue;
      }
      out.putByte(before);
      before = ',';
      out.put(names[i], 0, names[i].length);
      switch (fields[i].type()) {
        case NUMBER, TIME -> putNumber(block.longs(i)[row] / unit[i], out);
        case FRACTION -> putAscii(Double.toString(block.doubles(i)[row]), out);
        case FLAG -> putAscii(block.longs(i)[row] == 0 ? "false" : "true", out);
        case CHOICE -> {
          out.putByte('"');
          putAscii(fields[i].choices().get((int) block.longs(i)[row] - 1), out);
          out.putByte('"');
        }
        case TEXT -> putQuoted(block.texts(i), row, out);
      }
    }
    out.putByte('}');
  }

  private static void putAscii(String text, BlockBuffer out) {
    for (int i = 0; i < text.length(); i++) {
      out.putByte(text.charAt(i));
    }
  }

  private static void putQuoted(Texts texts, int row, BlockBuffer out) {
    byte[] bytes = texts.bytes();
    int start = texts.start(row);
    int end = start + texts.length(row);
    int run = start;
    out.putByte('"');
    for (int i = start; i < end; i++) {
      byte b = bytes[i];
      if (b == '"' || b == '\\' || (b >= 0 && b < ' ')) {
        out.put(bytes, run, i - run);
        out.putByte('\\');
        if (b < ' ') {
          out.putByte('u');
          out.putByte('0');
          out.putByte('0');
          out.putByte(HEX[b >> 4]);
          out.putByte(HEX[b & 15]);
        } else {
          out.putByte(b);
        }
        run = i + 1;
      }
    }
    out.put(bytes, run, end - run);
    out.putByte('"');
  }

  private static void putNumber(long value, BlockBuffer out) {
    if (value < 0) {
      putAscii(Long.toString(value), out);
      return;
    }
    long power = 1;
    while (value / power >= 10) {
      power *= 10;
    }
    for (; power > 0; power /= 10) {
      out.putByte('0' + (int) (value / power % 10));
    }
  }

  /** Appends a row as a datum of {@link RecordSchema#avro}, without a header. */
  public void datum(TableBlock block, int row, BlockBuffer out) {
    for (int i = 0; i < fields.length; i++) {
      if (isNullable[i]) {
        boolean isNull = isAbsent(block, i, row);
        Varints.put(isNull ? 0 : 1, out);
        if (isNull) {
          continue;
        }
      }
      switch (fields[i].type()) {
        case NUMBER, TIME -> Varints.put(block.longs(i)[row] / unit[i], out);
        case FRACTION -> out.putLong(Double.doubleToLongBits(block.doubles(i)[row]));
        case FLAG -> out.putByte((int) block.longs(i)[row]);
        case CHOICE -> Varints.put(block.longs(i)[row] - 1, out);
        case TEXT -> {
          Texts texts = block.texts(i);
          Varints.put(texts.length(row), out);
          out.put(texts.bytes(), texts.start(row), texts.length(row));
        }
      }
    }
  }

  /** Appends a row in single-object encoding: a header with the schema's fingerprint, a datum. */
  public void singleObject(TableBlock block, int row, BlockBuffer out) {
    out.putShort(MARKER);
    out.putLong(fingerprint);
    datum(block, row, out);
  }

  /**
   * Appends all rows as an object container file of one uncompressed block.
   *
   * @param sync 16 random bytes by which readers find block boundaries
   */
  public void container(TableBlock block, byte[] sync, BlockBuffer out) {
    byte[] header = AvroContainer.header(schema, sync);
    out.put(header, 0, header.length);
    if (block.rows() > 0) {
      BlockBuffer data = new BlockBuffer(block.rows() * 32);
      for (int row = 0; row < block.rows(); row++) {
        datum(block, row, data);
      }
      Varints.put(block.rows(), out);
      Varints.put(data.length(), out);
      out.put(data.bytes(), 0, data.length());
      out.put(sync, 0, sync.length);
    }
  }
}
