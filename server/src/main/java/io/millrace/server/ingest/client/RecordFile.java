package io.millrace.server.ingest.client;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.gateway.GatewayDecoder;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import io.millrace.wire.gateway.GatewayForm;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/**
 * A recorded data set, read piece by piece: JSON objects on lines, or an Avro object container
 * file; what it is, and whether it is gzipped, its first bytes tell. Not thread-safe.
 */
public final class RecordFile implements AutoCloseable {
  private static final int PIECE_BYTES = 1 << 18;
  private static final int MOST_PIECE_BYTES = 1 << 28;
  private static final int SYNC_BYTES = 16;
  private static final int GZIP_0 = 0x1F;
  private static final int GZIP_1 = 0x8B;
  private static final Pattern AT_BYTE = Pattern.compile("at byte (\\d+)");
  private static final byte[] CONTAINER = {'O', 'b', 'j', 1};

  private final Path path;
  private final InputStream in;
  private final Optional<GatewayForm> form;
  private final GatewayDecoder decoder = new GatewayDecoder();
  private final GatewayBlock block = new GatewayBlock(4_096);
  private final RecordErrors errors = new RecordErrors();
  private final byte[] header; // of a container file, with the sync marker; null for JSON
  private byte[] piece = new byte[PIECE_BYTES];
  private int filled;
  private long start; // of the piece, in the file
  private long next;
  private long records;

  /**
   * Opens a file.
   *
   * @param form of records that do not say one
   */
  public RecordFile(Path path, Optional<GatewayForm> form) throws IOException {
    this.path = path;
    this.form = form;
    if (Files.isDirectory(path)) {
      throw new IOException(path + ": is a directory");
    }
    InputStream file = new BufferedInputStream(Files.newInputStream(path), PIECE_BYTES);
    try {
      file.mark(2);
      boolean isGzipped = file.read() == GZIP_0 && file.read() == GZIP_1;
      file.reset();
      in =
          isGzipped
              ? new BufferedInputStream(new GZIPInputStream(file, 1 << 16), PIECE_BYTES)
              : file;
      in.mark(CONTAINER.length);
      boolean isContainer = Arrays.equals(in.readNBytes(CONTAINER.length), CONTAINER);
      in.reset();
      header = isContainer ? readHeader() : null;
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  /**
   * The next records, in the order of the file; valid until the next call. Null at the end.
   *
   * @throws IOException if a record is wrong; says which
   */
  public GatewayBlock next() throws IOException {
    block.clear();
    errors.clear();
    boolean isThere = header == null ? nextLines() : nextBlock();
    if (!isThere) {
      return null;
    }
    if (!errors.isEmpty()) {
      throw new IOException(path + ": " + told(errors.list().get(0)));
    }
    records += block.rows();
    return block;
  }

  /** What is wrong, with places in the file and not in its piece. */
  private String told(RecordErrors.WrongRecord wrong) {
    String record = "record " + (records + wrong.index());
    if (wrong.field().equals("form") && form.isEmpty()) {
      return record + ", form: is missing or none; say it with --form";
    }
    String reason =
        AT_BYTE.matcher(wrong.reason()).replaceFirst(at -> "at byte " + (start + number(at)));
    return record + (wrong.field().isEmpty() ? ": " : ", " + wrong.field() + ": ") + reason;
  }

  private static long number(MatchResult at) {
    return Long.parseLong(at.group(1));
  }

  /** Reads whole lines, as many as fit, at least one. */
  private boolean nextLines() throws IOException {
    while (true) {
      int more = in.readNBytes(piece, filled, piece.length - filled);
      filled += more;
      boolean isEnd = filled < piece.length;
      int end = isEnd ? filled : lastLineEnd();
      if (end == 0 && !isEnd) {
        piece = Arrays.copyOf(piece, grown(piece.length));
        continue;
      }
      if (end == 0) {
        return false;
      }
      start = next;
      next += end;
      decode(RecordEncoding.JSON, piece, end);
      System.arraycopy(piece, end, piece, 0, filled - end);
      filled -= end;
      return true;
    }
  }

  private int lastLineEnd() {
    int end = filled;
    while (end > 0 && piece[end - 1] != '\n') {
      end--;
    }
    return end;
  }

  private int grown(int length) throws IOException {
    if (length >= MOST_PIECE_BYTES) {
      throw new IOException(path + ": has a line of more than " + length + " bytes");
    }
    return length * 2;
  }

  /** Reads a block of a container, as a container of its own. */
  private boolean nextBlock() throws IOException {
    ByteArrayOutputStream copy = new ByteArrayOutputStream();
    copy.write(header);
    in.mark(1);
    if (in.read() < 0) {
      return false;
    }
    in.reset();
    readVarint(copy);
    copyBytes(copy, readVarint(copy) + SYNC_BYTES);
    byte[] container = copy.toByteArray();
    decode(RecordEncoding.AVRO, container, container.length);
    return true;
  }

  private void decode(RecordEncoding encoding, byte[] bytes, int length) {
    var unused = decoder.decode(encoding, bytes, 0, length, form, block, errors);
  }

  private byte[] readHeader() throws IOException {
    ByteArrayOutputStream copy = new ByteArrayOutputStream();
    copyBytes(copy, CONTAINER.length);
    for (long count = readVarint(copy); count != 0; count = readVarint(copy)) {
      if (count < 0) {
        readVarint(copy);
      }
      for (long left = Math.abs(count) * 2; left > 0; left--) {
        copyBytes(copy, readVarint(copy));
      }
    }
    copyBytes(copy, SYNC_BYTES);
    return copy.toByteArray();
  }

  private void copyBytes(ByteArrayOutputStream copy, long count) throws IOException {
    if (count < 0 || count > MOST_PIECE_BYTES) {
      throw new IOException(path + ": has a block of " + count + " bytes");
    }
    byte[] bytes = in.readNBytes((int) count);
    if (bytes.length < count) {
      throw new EOFException(path + ": ends within a block");
    }
    copy.write(bytes);
  }

  private long readVarint(ByteArrayOutputStream copy) throws IOException {
    long raw = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      int b = in.read();
      if (b < 0) {
        throw new EOFException(path + ": ends within a block");
      }
      copy.write(b);
      raw |= (b & 0x7FL) << shift;
      if (b < 0x80) {
        return (raw >>> 1) ^ -(raw & 1);
      }
    }
    throw new IOException(path + ": is no Avro container file");
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
