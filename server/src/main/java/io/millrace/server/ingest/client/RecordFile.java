package io.millrace.server.ingest.client;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.gateway.GatewayDecoder;
import io.millrace.wire.gateway.GatewayForm;
import io.millrace.wire.record.RecordErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A recorded data set, read in pieces: JSON lines or an Avro container file, optionally gzipped,
 * detected by the first bytes. Not thread-safe.
 */
public final class RecordFile implements AutoCloseable {
  private static final Pattern AT_BYTE = Pattern.compile("at byte (\\d+)");

  private final Path path;
  private final RecordPieces pieces;
  private final Optional<GatewayForm> form;
  private final GatewayDecoder decoder = new GatewayDecoder();
  private final GatewayBlock block = new GatewayBlock(4_096);
  private final RecordErrors errors = new RecordErrors();
  private long records;

  /**
   * Opens a file.
   *
   * @param form of records without one
   */
  public RecordFile(Path path, Optional<GatewayForm> form) throws IOException {
    this.path = path;
    this.form = form;
    pieces = new RecordPieces(path);
  }

  /**
   * The next records, in the order of the file; valid until the next call. Null at the end.
   *
   * @throws IOException if a record is invalid; names it
   */
  public GatewayBlock next() throws IOException {
    block.clear();
    errors.clear();
    if (!pieces.next()) {
      return null;
    }
    var unused =
        decoder.decode(pieces.encoding(), pieces.bytes(), 0, pieces.length(), form, block, errors);
    if (!errors.isEmpty()) {
      throw new IOException(path + ": " + described(errors.list().get(0)));
    }
    records += block.rows();
    return block;
  }

  /** Message with the position in the file instead of the piece. */
  private String described(RecordErrors.WrongRecord wrong) {
    String record = "record " + (records + wrong.index());
    if (wrong.field().equals("form") && form.isEmpty()) {
      return record + ", form: missing or invalid; set it with --form";
    }
    String reason =
        AT_BYTE
            .matcher(wrong.reason())
            .replaceFirst(at -> "at byte " + (pieces.start() + number(at)));
    return record + (wrong.field().isEmpty() ? ": " : ", " + wrong.field() + ": ") + reason;
  }

  private static long number(MatchResult at) {
    return Long.parseLong(at.group(1));
  }

  @Override
  public void close() throws IOException {
    pieces.close();
  }
}
