package io.millrace.wire.gateway;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.record.AvroReader;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import java.util.Optional;

/**
 * Decoder of gateway records, from gateways and from the log, to columns. Valid records are added
 * to a block, invalid ones are reported by index, field and reason; no input causes an exception.
 * Nothing is allocated for a valid record. Not thread-safe: one for each thread.
 */
public final class GatewayDecoder {
  private static final int DEFAULT_UNPACKED_BYTES = 64 << 20;

  private final JsonRecords json = new JsonRecords();
  private final AvroReader reader = new AvroReader();
  private final AvroRecords avro = new AvroRecords();

  /** A decoder. */
  public GatewayDecoder() {}

  /**
   * Decodes a request of a gateway: in JSON an object, an array of them, or consecutive objects; in
   * Avro an object container file, or consecutive objects in single-object encoding.
   *
   * <p>After an object that is not JSON, decoding continues with the next line; after a broken
   * array or broken Avro it stops, see {@link RecordErrors#isTruncated}.
   *
   * @param byPath form of records without one; empty if they must have one
   * @param into receives the valid records; a row's {@linkplain GatewayBlock#sourceStart place} is
   *     in {@code bytes}: JSON text, or a datum of the current schema without a header
   * @param errors receives the invalid ones
   * @return number of records that were read, valid and invalid
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
   * Decodes with a limit.
   *
   * @param maxUnpackedBytes total size of uncompressed blocks in bytes; decoding stops there, see
   *     {@link RecordErrors#isOversized}
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
   * @param into receives the records, and the value's arrival
   * @return number of records that were read, valid and invalid; 0 if the value is invalid
   */
  public int decode(GatewayBatch batch, GatewayBlock into, RecordErrors errors) {
    if (!batch.isSound()) {
      errors.end(0, "", "not a batch of gateway records");
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
          errors.end(index, "", "not a datum of the schema");
        }
        return index + 1;
      }
    }
    return count;
  }
}
