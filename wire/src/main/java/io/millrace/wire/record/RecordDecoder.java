package io.millrace.wire.record;

import io.millrace.wire.block.TableBlock;

/**
 * Records of a schema to columns. Good records are added to a block, wrong ones are told by index,
 * field and reason; bytes of any kind bring no exception. Nothing is allocated for a good record in
 * JSON; for one in Avro a few bytes. Not thread-safe: one for each thread.
 */
public final class RecordDecoder {
  private final RecordJson json;
  private final RecordAvro avro;
  private final AvroReader reader = new AvroReader();

  /** A decoder of records of that schema. */
  public RecordDecoder(RecordSchema schema) {
    RecordRow row = new RecordRow(schema);
    json = new RecordJson(row);
    avro = new RecordAvro(schema, row);
  }

  /**
   * Decodes what a sender has sent: in JSON an object, an array of them, or objects one behind the
   * other, as on lines; in Avro an object container file of any schema that resolves to ours, or
   * objects of ours in single-object encoding one behind the other.
   *
   * <p>Behind an object that is not JSON, the next line is read; behind an array or Avro that is
   * broken nothing is, which {@link RecordErrors#isTruncated} tells.
   *
   * @param into takes the good records; its first columns are {@link RecordSchema#columns}
   * @param errors takes what is wrong
   * @param maxUnpackedBytes bytes that compressed blocks may be together when they are unpacked;
   *     behind them nothing is read, which {@link RecordErrors#isOversized} tells
   * @return number of records that were read, good and wrong
   */
  public int decode(
      RecordEncoding encoding,
      byte[] bytes,
      int offset,
      int length,
      TableBlock into,
      RecordErrors errors,
      int maxUnpackedBytes) {
    if (encoding == RecordEncoding.JSON) {
      return json.decode(bytes, offset, length, into, errors);
    }
    avro.wrap(into, errors);
    int count = reader.read(bytes, offset, length, avro, errors, maxUnpackedBytes);
    avro.finish();
    return count;
  }
}
