package io.millrace.wire.record;

import io.millrace.wire.block.TableBlock;

/**
 * Decoder of records of a schema to columns. Valid records are added to a block, invalid ones are
 * reported by index, field and reason; no input causes an exception. Nothing is allocated for a
 * valid record in JSON; for one in Avro a few bytes. Not thread-safe: one for each thread.
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
   * Decodes a request: in JSON an object, an array of them, or consecutive objects, as on lines; in
   * Avro an object container file of any schema that resolves to this one, or consecutive objects
   * of this schema in single-object encoding.
   *
   * <p>After an object that is not JSON, decoding continues with the next line; after a broken
   * array or broken Avro it stops, see {@link RecordErrors#isTruncated}.
   *
   * @param attributes of the request
   * @param into receives the valid records; its first columns are {@link RecordSchema#columns}
   * @param errors receives the invalid ones
   * @param maxUnpackedBytes total size of uncompressed blocks in bytes; decoding stops there, see
   *     {@link RecordErrors#isOversized}
   * @return number of records that were read, valid and invalid
   */
  public int decode(
      RecordEncoding encoding,
      byte[] bytes,
      int offset,
      int length,
      RecordAttributes attributes,
      TableBlock into,
      RecordErrors errors,
      int maxUnpackedBytes) {
    if (encoding == RecordEncoding.JSON) {
      return json.decode(bytes, offset, length, attributes, into, errors);
    }
    avro.wrap(attributes, into, errors);
    int count = reader.read(bytes, offset, length, avro, errors, maxUnpackedBytes);
    avro.finish();
    return count;
  }
}
