package io.millrace.wire.record;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/**
 * Reader of Avro requests: an object container file, or consecutive objects in single-object
 * encoding. No input causes an exception. Not thread-safe.
 */
public final class AvroReader {
  /** Result of {@link AvroData#take} for invalid bytes. */
  public static final int BROKEN = -1;

  /** Length of the header of a datum in single-object encoding: C3 01 and the fingerprint. */
  public static final int SINGLE_OBJECT_HEADER = 10;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int MARKER_0 = 0xC3;
  private static final int MARKER_1 = 0x01;

  private final AvroContainer container = new AvroContainer();

  /** A reader. */
  public AvroReader() {}

  /**
   * Reads all data.
   *
   * @param maxUnpackedBytes limit for uncompressed blocks together
   * @return number of data, including invalid ones
   */
  public int read(
      byte[] bytes,
      int offset,
      int length,
      AvroData into,
      RecordErrors errors,
      int maxUnpackedBytes) {
    return AvroContainer.isContainer(bytes, offset, length)
        ? container.decode(bytes, offset, length, into, errors, maxUnpackedBytes)
        : singleObjects(bytes, offset, offset + length, into, errors);
  }

  private static int singleObjects(
      byte[] bytes, int offset, int end, AvroData into, RecordErrors errors) {
    long own = into.fingerprint();
    int index = 0;
    int at = offset;
    while (at < end) {
      if (end - at < SINGLE_OBJECT_HEADER
          || (bytes[at] & 0xFF) != MARKER_0
          || bytes[at + 1] != MARKER_1) {
        errors.end(index, "", "expected single-object encoding, which begins with C3 01");
        return index + 1;
      }
      long fingerprint = (long) LONG.get(bytes, at + 2);
      int datum = at + SINGLE_OBJECT_HEADER;
      if (fingerprint != own) {
        errors.end(
            index,
            "",
            "unknown schema fingerprint %s, expected %s"
                .formatted(AvroSchemas.hex(fingerprint), AvroSchemas.hex(own)));
        return index + 1;
      }
      at = into.take(bytes, datum, end, index);
      index++;
      if (at < 0) {
        errors.end(index - 1, "", "not a datum of the schema");
        return index;
      }
    }
    return index;
  }

  /** Decodes a datum of another schema; returns the offset of the next one, negative if invalid. */
  static int takeResolved(
      Schema writer, byte[] source, int offset, int end, int index, AvroData into) {
    ByteArrayInputStream in = new ByteArrayInputStream(source, offset, end - offset);
    try {
      // Unbuffered, so that the remaining bytes give the end of the datum.
      BinaryDecoder decoder = DecoderFactory.get().directBinaryDecoder(in, null);
      into.add(
          new GenericDatumReader<GenericRecord>(writer, into.schema()).read(null, decoder), index);
      return end - in.available();
    } catch (IOException | RuntimeException | StackOverflowError e) {
      // Avro has no common exception for invalid data, and a recursive schema may nest data as deep
      // as they are long.
      return BROKEN;
    }
  }
}
