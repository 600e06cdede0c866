package io.millrace.wire.record;

import io.millrace.wire.block.BlockBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.apache.avro.Schema;

/**
 * Reader of Avro object container files (Avro 1.12, "Object Container Files").
 *
 * <pre>
 *   +---------+----------+------+-------+------+------+------+-------+--
 *   | "Obj" 1 | metadata | sync | count | size | data | sync | count | …
 *   +---------+----------+------+-------+------+------+------+-------+--
 *                         16 B   a block: varint, varint, size bytes, 16 B
 * </pre>
 *
 * Records of the schema of {@link AvroData} are decoded directly, and in place if uncompressed;
 * those of other schemas in the file by Avro's schema resolution. Supported codecs are null and
 * deflate. Not thread-safe.
 */
public final class AvroContainer {
  private static final byte[] MAGIC = {'O', 'b', 'j', 1};
  private static final int SYNC_BYTES = 16;
  private static final String SCHEMA_KEY = "avro.schema";
  private static final String CODEC_KEY = "avro.codec";
  private static final String PLAIN = "null";
  private static final String DEFLATE = "deflate";

  private static final int MAX_SCHEMA_BYTES = 64 << 10;

  private static final int MAX_SHOWN = 200;

  private Inflater inflater; // null before the first deflated block
  private String schemaText;
  private String codec;

  AvroContainer() {}

  static boolean isContainer(byte[] bytes, int offset, int length) {
    return length >= MAGIC.length
        && Arrays.equals(bytes, offset, offset + MAGIC.length, MAGIC, 0, MAGIC.length);
  }

  int decode(
      byte[] bytes,
      int offset,
      int length,
      AvroData into,
      RecordErrors errors,
      int maxUnpackedBytes) {
    VarintInput in = new VarintInput(bytes, offset + MAGIC.length, offset + length);
    readMetadata(bytes, in);
    int sync = in.take(SYNC_BYTES);
    if (in.isBroken()) {
      errors.end(0, "", "the container file is truncated within its header");
      return 0;
    }
    if (!codec.equals(PLAIN) && !codec.equals(DEFLATE)) {
      errors.end(0, "", "unsupported codec '" + shown(codec) + "', expected null or deflate");
      return 0;
    }
    if (schemaText.length() > MAX_SCHEMA_BYTES) {
      errors.end(0, "", "the container file's schema is longer than " + MAX_SCHEMA_BYTES);
      return 0;
    }
    Schema writer;
    boolean isCurrent;
    try {
      writer = AvroSchemas.parse(schemaText);
      isCurrent = AvroSchemas.fingerprint(writer) == into.fingerprint();
    } catch (RuntimeException
        | StackOverflowError e) { // Avro has no common exception for invalid schemas
      errors.end(
          0, "", "invalid schema of the container file: " + shown(String.valueOf(e.getMessage())));
      return 0;
    }
    if (!isCurrent && !SchemaCost.isLow(writer)) {
      errors.end(0, "", "the container file's schema has " + SchemaCost.HIGH);
      return 0;
    }
    return decodeBlocks(bytes, in, sync, isCurrent ? null : writer, into, errors, maxUnpackedBytes);
  }

  private static String shown(String text) {
    return text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "…" : text;
  }

  /** A map from text to bytes, in parts; a negative count is followed by the part's size. */
  private void readMetadata(byte[] bytes, VarintInput in) {
    schemaText = "";
    codec = PLAIN;
    long count = in.next();
    while (count != 0 && !in.isBroken()) {
      if (count < 0) {
        in.next();
      }
      for (long i = Math.abs(count); i > 0 && !in.isBroken(); i--) {
        String key = takeText(bytes, in);
        String value = takeText(bytes, in);
        if (key.equals(SCHEMA_KEY)) {
          schemaText = value;
        } else if (key.equals(CODEC_KEY)) {
          codec = value;
        }
      }
      count = in.next();
    }
  }

  private static String takeText(byte[] bytes, VarintInput in) {
    long length = in.next();
    int at = in.take(length);
    return in.isBroken() ? "" : new String(bytes, at, (int) length, StandardCharsets.UTF_8);
  }

  private int decodeBlocks(
      byte[] bytes,
      VarintInput in,
      int sync,
      Schema other,
      AvroData into,
      RecordErrors errors,
      int maxUnpackedBytes) {
    int index = 0;
    int left = maxUnpackedBytes;
    while (!in.isAtEnd()) {
      long count = in.next();
      long size = in.next();
      int data = in.take(size);
      int again = in.take(SYNC_BYTES);
      if (in.isBroken()
          || count < 0
          || !Arrays.equals(bytes, sync, sync + SYNC_BYTES, bytes, again, again + SYNC_BYTES)) {
        errors.end(index, "", "the container file is damaged or truncated within a block");
        return index;
      }
      byte[] source = bytes;
      int at = data;
      int end = data + (int) size;
      if (codec.equals(DEFLATE)) {
        source = inflate(bytes, data, (int) size, left);
        if (source == null) {
          errors.endOversized(
              index, "the inflated data is larger than " + maxUnpackedBytes + " bytes");
          return index;
        }
        left -= source.length;
        at = 0;
        end = source.length;
      }
      for (long i = 0; i < count; i++, index++) {
        at =
            other == null
                ? into.take(source, at, end, index)
                : AvroReader.takeResolved(other, source, at, end, index, into);
        if (at < 0) {
          errors.end(index, "", "not a datum of the schema");
          return index + 1;
        }
      }
    }
    return index;
  }

  /** Inflates a block (RFC 1951); empty if invalid, null beyond {@code max} bytes. */
  private byte[] inflate(byte[] bytes, int offset, int length, int max) {
    if (inflater == null) {
      inflater = new Inflater(true);
    }
    inflater.reset();
    try {
      inflater.setInput(bytes, offset, length);
      long capacity =
          Math.min(Math.max(64L, length * 4L), max + 1L); // one more byte detects an excess
      byte[] data = new byte[(int) capacity];
      int filled = 0;
      while (!inflater.finished()) {
        int more = inflater.inflate(data, filled, data.length - filled);
        filled += more;
        if (filled > max) {
          return null;
        }
        if (filled == data.length) {
          data = Arrays.copyOf(data, (int) Math.min(data.length * 2L, max + 1L));
        } else if (more == 0 && !inflater.finished()) {
          return new byte[0]; // truncated
        }
      }
      return Arrays.copyOf(data, filled);
    } catch (DataFormatException e) {
      return new byte[0];
    }
  }

  /**
   * Header of an uncompressed file, including metadata and sync marker.
   *
   * @param schema of its records, as JSON
   * @param sync 16 random bytes by which readers find block boundaries
   */
  public static byte[] header(String schema, byte[] sync) {
    BlockBuffer out = new BlockBuffer(1 << 10);
    out.put(MAGIC, 0, MAGIC.length);
    Varints.put(2, out);
    putText(SCHEMA_KEY, out);
    putText(schema, out);
    putText(CODEC_KEY, out);
    putText(PLAIN, out);
    Varints.put(0, out);
    out.put(sync, 0, SYNC_BYTES);
    return out.toBytes();
  }

  private static void putText(String text, BlockBuffer out) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    Varints.put(utf8.length, out);
    out.put(utf8, 0, utf8.length);
  }
}
