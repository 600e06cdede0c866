package io.millrace.wire.gateway;

import io.millrace.wire.block.GatewayBlock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Optional;
import org.apache.avro.Schema;

/**
 * Records of gateways to columns, from what a gateway sent and from what stands in the log. Good
 * records are added to a block, wrong ones are told by index, field and reason; bytes of any kind
 * bring no exception. Nothing is allocated for a good record. Not thread-safe: one for each thread.
 */
public final class GatewayDecoder {
  /** In front of each datum in single-object encoding: C3 01 and the fingerprint. */
  static final int SINGLE_OBJECT_HEADER = 10;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** What compressed blocks may say unless another bound is said. */
  private static final int DEFAULT_UNPACKED_BYTES = 64 << 20;

  private static final int MARKER_0 = 0xC3;
  private static final int MARKER_1 = 0x01;

  private final JsonRecords json = new JsonRecords();
  private final AvroRecords avro = new AvroRecords();
  private final AvroContainer container = new AvroContainer(avro);

  /** A decoder. */
  public GatewayDecoder() {}

  /**
   * Decodes what a gateway has sent: in JSON an object, an array of them, or objects one behind the
   * other; in Avro an object container file, or objects in single-object encoding one behind the
   * other.
   *
   * <p>Behind an object that is not JSON, the next line is read; behind an array or Avro that is
   * broken nothing is, which {@link GatewayErrors#isTruncated} tells.
   *
   * @param byPath form of records that do not say one; empty if they must
   * @param into takes the good records; a row's {@linkplain GatewayBlock#sourceStart place} is one
   *     in {@code bytes}: JSON text, or a datum of the current schema without a header
   * @param errors takes what is wrong
   * @return number of records that were read, good and wrong
   */
  public int decode(
      GatewayEncoding encoding,
      byte[] bytes,
      int offset,
      int length,
      Optional<GatewayForm> byPath,
      GatewayBlock into,
      GatewayErrors errors) {
    return decode(encoding, bytes, offset, length, byPath, into, errors, DEFAULT_UNPACKED_BYTES);
  }

  /**
   * As above.
   *
   * @param maxUnpackedBytes bytes that compressed blocks may be together when they are unpacked;
   *     behind them nothing is read, which {@link GatewayErrors#isOversized} tells
   */
  public int decode(
      GatewayEncoding encoding,
      byte[] bytes,
      int offset,
      int length,
      Optional<GatewayForm> byPath,
      GatewayBlock into,
      GatewayErrors errors,
      int maxUnpackedBytes) {
    int form = byPath.map(GatewayForm::code).orElse(GatewayForm.UNSPECIFIED);
    if (encoding == GatewayEncoding.JSON) {
      return json.decode(bytes, offset, length, form, into, errors);
    }
    if (AvroContainer.isContainer(bytes, offset, length)) {
      return container.decode(bytes, offset, length, form, into, errors, maxUnpackedBytes);
    }
    return singleObjects(bytes, offset, offset + length, form, into, errors);
  }

  private int singleObjects(
      byte[] bytes, int offset, int end, int form, GatewayBlock into, GatewayErrors errors) {
    long current = GatewaySchema.fingerprint();
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
          fingerprint == current
              ? avro.take(bytes, datum, end, index, form, into, errors, true)
              : other(fingerprint, bytes, datum, end, index, form, into, errors);
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

  /** A datum of another version, or a broken one; −1 if nothing can be read behind it. */
  private static int other(
      long fingerprint,
      byte[] bytes,
      int datum,
      int end,
      int index,
      int form,
      GatewayBlock into,
      GatewayErrors errors) {
    Optional<Schema> writer = GatewaySchema.known(fingerprint);
    if (writer.isEmpty()) {
      errors.end(
          index,
          "",
          "no schema has the fingerprint %s; the published one has %s"
              .formatted(
                  GatewaySchema.hex(fingerprint), GatewaySchema.hex(GatewaySchema.fingerprint())));
      return -1;
    }
    return AvroRecords.takeOther(writer.get(), bytes, datum, end, index, form, into, errors);
  }

  /**
   * Decodes a value of the log. Places of rows are in its bytes.
   *
   * @param into takes the records, and the value's arrival
   * @return number of records that were read, good and wrong; 0 if the value is not sound
   */
  public int decode(GatewayBatch batch, GatewayBlock into, GatewayErrors errors) {
    if (!batch.isSound()) {
      errors.end(0, "", "is not a batch of records of gateways");
      return 0;
    }
    into.arrival(batch.arrival());
    byte[] bytes = batch.bytes();
    int at = batch.records();
    int end = batch.length();
    if (batch.encoding() == GatewayEncoding.JSON) {
      return json.decode(bytes, at, end - at, batch.formCode(), into, errors);
    }
    boolean isCurrent = batch.fingerprint() == GatewaySchema.fingerprint();
    int count = batch.count();
    int form = batch.formCode();
    for (int index = 0; index < count; index++) {
      at =
          isCurrent
              ? avro.take(bytes, at, end, index, form, into, errors, true)
              : other(batch.fingerprint(), bytes, at, end, index, form, into, errors);
      if (at < 0) {
        if (!errors.isTruncated()) {
          errors.end(index, "", "is not a datum of the schema");
        }
        return index + 1;
      }
    }
    return count;
  }
}
