package io.millrace.wire.gateway;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.record.AvroReader;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import java.util.Optional;

/**
 * Records of gateways to columns, from what a gateway sent and from what stands in the log. Good
 * records are added to a block, wrong ones are told by index, field and reason; bytes of any kind
 * bring no exception. Nothing is allocated for a good record. Not thread-safe: one for each thread.
 */
public final class GatewayDecoder {
  /** What compressed blocks may say unless another bound is said. */
  private static final int DEFAULT_UNPACKED_BYTES = 64 << 20;

  private final JsonRecords json = new JsonRecords();
  private final AvroReader reader = new AvroReader();
  private final AvroRecords avro = new AvroRecords();

  /** A decoder. */
  public GatewayDecoder() {}

  /**
   * Decodes what a gateway has sent: in JSON an object, an array of them, or objects one behind the
   * other; in Avro an object container file, or objects in single-object encoding one behind the
   * other.
   *
   * <p>Behind an object that is not JSON, the next line is read; behind an array or Avro that is
   * broken nothing is, which {@link RecordErrors#isTruncated} tells.
   *
   * @param byPath form of records that do not say one; empty if they must
   * @param into takes the good records; a row's {@linkplain GatewayBlock#sourceStart place} is one
   *     in {@code bytes}: JSON text, or a datum of the current schema without a header
   * @param errors takes what is wrong
   * @return number of records that were read, good and wrong
   */
  public int decode(
      RecordEncoding encoding,
      byte[] bytes,
      int offset,
      int length,
      Optional<GatewayForm> byPath,
      GatewayBlock into,
      RecordErrors errors) {
    return decode(encoding, bytes, offset, length, byPath, into, errors, DEFAULT_UNPACKED_BYTES);
  }

  /**
   * As above.
   *
   * @param maxUnpackedBytes bytes that compressed blocks may be together when they are unpacked;
   *     behind them nothing is read, which {@link RecordErrors#isOversized} tells
   */
  public int decode(
      RecordEncoding encoding,
      byte[] bytes,
      int offset,
      int length,
      Optional<GatewayForm> byPath,
      GatewayBlock into,
      RecordErrors errors,
      int maxUnpackedBytes) {
    int form = byPath.map(GatewayForm::code).orElse(GatewayForm.UNSPECIFIED);
    if (encoding == RecordEncoding.JSON) {
      return json.decode(bytes, offset, length, form, into, errors);
    }
    avro.wrap(form, into, errors);
    return reader.read(bytes, offset, length, avro, errors, maxUnpackedBytes);
  }

  /**
   * Decodes a value of the log. Places of rows are in its bytes.
   *
   * @param into takes the records, and the value's arrival
   * @return number of records that were read, good and wrong; 0 if the value is not sound
   */
  public int decode(GatewayBatch batch, GatewayBlock into, RecordErrors errors) {
    if (!batch.isSound()) {
      errors.end(0, "", "is not a batch of records of gateways");
      return 0;
    }
    into.arrival(batch.arrival());
    byte[] bytes = batch.bytes();
    int at = batch.records();
    int end = batch.length();
    if (batch.encoding() == RecordEncoding.JSON) {
      return json.decode(bytes, at, end - at, batch.formCode(), into, errors);
    }
    boolean isCurrent = batch.fingerprint() == GatewaySchema.fingerprint();
    int count = batch.count();
    avro.wrap(batch.formCode(), into, errors);
    for (int index = 0; index < count; index++) {
      at =
          isCurrent
              ? avro.take(bytes, at, end, index, true)
              : AvroReader.takeKnown(batch.fingerprint(), bytes, at, end, index, avro, errors);
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
