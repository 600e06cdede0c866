package io.millrace.server.ingest.client;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordDecoder;
import io.millrace.wire.record.RecordErrors;
import io.millrace.wire.record.RecordSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Reader of a file of records: JSON lines or an Avro container file, optionally gzipped, detected
 * by the first bytes. Not thread-safe.
 */
public final class RecordFile implements AutoCloseable {
  private static final Pattern AT_BYTE = Pattern.compile("at byte (\\d+)");

  private static final int MAX_UNPACKED_BYTES = 64 << 20;

  private final Path path;
  private final RecordPieces pieces;
  private final RecordSchema schema;
  private final RecordAttributes attributes;
  private final RecordDecoder decoder;
  private final TableBlock block;
  private final RecordErrors errors = new RecordErrors();
  private long records;

  /**
   * Opens a file.
   *
   * @param attributes attributes of the records
   */
  public RecordFile(Path path, RecordSchema schema, RecordAttributes attributes)
      throws IOException {
    this.path = path;
    this.schema = schema;
    this.attributes = attributes;
    decoder = new RecordDecoder(schema);
    block = new TableBlock(schema.columns(), 4_096);
    pieces = new RecordPieces(path);
  }

  /**
   * Returns the next records, in the order of the file, valid until the next call; null at the end.
   *
   * @throws IOException if a record is invalid; the message names it
   */
  public TableBlock next() throws IOException {
    block.clear();
    errors.clear();
    if (!pieces.next()) {
      return null;
    }
    var unused =
        decoder.decode(
            pieces.encoding(),
            pieces.bytes(),
            0,
            pieces.length(),
            attributes,
            block,
            errors,
            MAX_UNPACKED_BYTES);
    if (!errors.isEmpty()) {
      throw new IOException(path + ": " + described(errors.list().get(0)));
    }
    records += block.rows();
    return block;
  }

  /** Message with the position in the file instead of that in the piece. */
  private String described(RecordErrors.InvalidRecord invalid) {
    String record = "record " + (records + invalid.index());
    String reason =
        AT_BYTE
            .matcher(invalid.reason())
            .replaceFirst(at -> "at byte " + (pieces.start() + number(at)));
    boolean isOption =
        schema.fields().stream()
            .anyMatch(field -> field.attribute() && field.name().equals(invalid.field()));
    return record
        + (invalid.field().isEmpty() ? ": " : ", " + invalid.field() + ": ")
        + reason
        + (isOption ? "; or set it with --" + invalid.field() : "");
  }

  private static long number(MatchResult at) {
    return Long.parseLong(at.group(1));
  }

  @Override
  public void close() throws IOException {
    pieces.close();
  }
}
