package io.millrace.wire.gateway;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.GatewayBlock;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.apache.avro.Schema;

/**
 * An Avro object container file (Avro 1.12, "Object Container Files") of records of gateways.
 *
 * <pre>
 *   +---------+----------+------+-------+------+------+------+-------+--
 *   | "Obj" 1 | metadata | sync | count | size | data | sync | count | …
 *   +---------+----------+------+-------+------+------+------+-------+--
 *                         16 B   a block: varint, varint, size bytes, 16 B
 * </pre>
 *
 * Records of the current schema are read by hand, and where nothing is compressed in place; those
 * of any other schema that the file brings along by Avro's resolution. Blocks are plain or
 * deflated: no other codec is read.
 */
final class AvroContainer {
  private static final byte[] MAGIC = {'O', 'b', 'j', 1};
  private static final int SYNC_BYTES = 16;
  private static final String SCHEMA_KEY = "avro.schema";
  private static final String CODEC_KEY = "avro.codec";
  private static final String PLAIN = "null";
  private static final String DEFLATE = "deflate";

  /** Deflated bytes may say a thousand times as much. */
  private static final int MOST_INFLATED_BYTES = 64 << 20;

  private final AvroRecords records;
  private String schemaText;
  private String codec;

  AvroContainer(AvroRecords records) {
    this.records = records;
  }

  /** Whether the bytes begin as such a file does. */
  static boolean isContainer(byte[] bytes, int offset, int length) {
    return length >= MAGIC.length
        && Arrays.equals(bytes, offset, offset + MAGIC.length, MAGIC, 0, MAGIC.length);
  }

  /** Reads all records; gives how many there are, wrong ones too. */
  int decode(
      byte[] bytes, int offset, int length, int byPath, GatewayBlock into, GatewayErrors errors) {
    VarintInput in = new VarintInput(bytes, offset + MAGIC.length, offset + length);
    readMetadata(bytes, in);
    int sync = in.take(SYNC_BYTES);
    if (in.isBroken()) {
      errors.end(0, "", "the container file ends within its header");
      return 0;
    }
    if (!codec.equals(PLAIN) && !codec.equals(DEFLATE)) {
      errors.end(0, "", "codec '" + codec + "' is not read; null and deflate are");
      return 0;
    }
    Schema writer;
    boolean isCurrent;
    try {
      writer = new Schema.Parser().parse(schemaText);
      isCurrent = GatewaySchema.fingerprint(writer) == GatewaySchema.fingerprint();
    } catch (RuntimeException | StackOverflowError e) { // Avro has no one exception for bad ones
      errors.end(0, "", "the container file's schema cannot be read: " + e.getMessage());
      return 0;
    }
    return decodeBlocks(bytes, in, sync, isCurrent ? null : writer, byPath, into, errors);
  }

  /** A map from text to bytes, in parts; a negative count has the part's size behind it. */
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
      int byPath,
      GatewayBlock into,
      GatewayErrors errors) {
    int index = 0;
    while (!in.isAtEnd()) {
      long count = in.next();
      long size = in.next();
      int data = in.take(size);
      int again = in.take(SYNC_BYTES);
      if (in.isBroken()
          || count < 0
          || !Arrays.equals(bytes, sync, sync + SYNC_BYTES, bytes, again, again + SYNC_BYTES)) {
        errors.end(index, "", "the container file is damaged or ends within a block");
        return index;
      }
      byte[] source = bytes;
      int at = data;
      int end = data + (int) size;
      if (codec.equals(DEFLATE)) {
        source = inflate(bytes, data, (int) size);
        at = 0;
        end = source.length;
      }
      for (long i = 0; i < count; i++, index++) {
        at =
            other == null
                ? records.take(source, at, end, index, byPath, into, errors, source == bytes)
                : AvroRecords.takeOther(other, source, at, end, index, byPath, into, errors);
        if (at < 0) {
          errors.end(index, "", "is not a datum of the schema");
          return index + 1;
        }
      }
    }
    return index;
  }

  /** The data of a deflated block (RFC 1951, without a header); empty if it is none. */
  private static byte[] inflate(byte[] bytes, int offset, int length) {
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(bytes, offset, length);
      byte[] data = new byte[Math.max(64, Math.min(length * 4, MOST_INFLATED_BYTES))];
      int filled = 0;
      while (!inflater.finished()) {
        int more = inflater.inflate(data, filled, data.length - filled);
        filled += more;
        if (filled == data.length && data.length < MOST_INFLATED_BYTES) {
          data = Arrays.copyOf(data, Math.min(data.length * 2, MOST_INFLATED_BYTES));
        } else if (more == 0 && !inflater.finished()) {
          return new byte[0]; // it ends too early, or says too much
        }
      }
      return Arrays.copyOf(data, filled);
    } catch (DataFormatException e) {
      return new byte[0];
    } finally {
      inflater.end();
    }
  }

  /** What a file of the current schema begins with, metadata and sync marker included. */
  static byte[] header(byte[] sync) {
    BlockBuffer out = new BlockBuffer(1 << 10);
    out.put(MAGIC, 0, MAGIC.length);
    Varints.put(2, out);
    putText(SCHEMA_KEY, out);
    putText(GatewaySchema.text(), out);
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
