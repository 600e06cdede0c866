package io.millrace.wire.record;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/**
 * Walks over what a sender has written in Avro: an object container file, or objects in
 * single-object encoding one behind the other. Bytes of any kind bring no exception. Not
 * thread-safe.
 */
public final class AvroReader {
  /** What {@link AvroData#take} gives where there is no datum. */
  public static final int BROKEN = -1;

  /** In front of each datum in single-object encoding: C3 01 and the fingerprint. */
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
   * @param maxUnpackedBytes what compressed blocks may be together when they are unpacked
   * @return how many there are, wrong ones too
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
        errors.end(index, "", "single-object encoding, which begins with C3 01, is expected");
        return index + 1;
      }
      long fingerprint = (long) LONG.get(bytes, at + 2);
      int datum = at + SINGLE_OBJECT_HEADER;
      at =
          fingerprint == own
              ? into.take(bytes, datum, end, index, true)
              : takeKnown(fingerprint, bytes, datum, end, index, into, errors);
      index++;
      if (at < 0) {
        if (!errors.isTruncated()) {
          errors.end(index - 1, "", "is not a datum of the schema");
        }
        return index;
      }
    }
    return index;
  }

  /** A datum of another known schema, or a broken one; negative if nothing is read behind it. */
  public static int takeKnown(
      long fingerprint,
      byte[] bytes,
      int datum,
      int end,
      int index,
      AvroData into,
      RecordErrors errors) {
    Optional<Schema> writer = into.known(fingerprint);
    if (writer.isEmpty()) {
      errors.end(
          index,
          "",
          "no schema has the fingerprint %s; the published one has %s"
              .formatted(AvroSchemas.hex(fingerprint), AvroSchemas.hex(into.fingerprint())));
      return BROKEN;
    }
    return takeResolved(writer.get(), bytes, datum, end, index, into);
  }

  /** Takes a datum of another schema; gives where the next one starts, negative if it is none. */
  static int takeResolved(
      Schema writer, byte[] source, int offset, int end, int index, AvroData into) {
    ByteArrayInputStream in = new ByteArrayInputStream(source, offset, end - offset);
    try {
      // Reads no byte beyond the datum, so that what is left tells where it ended.
      BinaryDecoder decoder = DecoderFactory.get().directBinaryDecoder(in, null);
      into.add(
          new GenericDatumReader<GenericRecord>(writer, into.schema()).read(null, decoder), index);
      return end - in.available();
    } catch (IOException | RuntimeException | StackOverflowError e) {
      // Avro has no one exception for bad bytes, and a schema that contains itself may say data as
      // deep as it is long.
      return BROKEN;
    }
  }
}
