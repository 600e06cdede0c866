package io.millrace.server.ingest.client;

import io.millrace.wire.record.RecordEncoding;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;

/**
 * Splits a file of records into self-contained pieces: some JSON lines, or a container with one
 * block of an Avro container file. Format and compression are detected by the first bytes. Not
 * thread-safe.
 */
public final class RecordPieces implements AutoCloseable {
  private static final int PIECE_BYTES = 1 << 18;
  private static final int MAX_PIECE_BYTES = 1 << 28;
  private static final int SYNC_BYTES = 16;
  private static final int GZIP_0 = 0x1F;
  private static final int GZIP_1 = 0x8B;
  private static final byte[] CONTAINER = {'O', 'b', 'j', 1};

  private static final Path STANDARD_INPUT = Path.of("-");

  private final Path path;
  private final InputStream in;
  private final byte[] header; // with the sync marker; null for JSON
  private byte[] piece = new byte[PIECE_BYTES];
  private int length;
  private int records;
  private int filled; // bytes of the piece and of the beginning of the next
  private long start;
  private long next;

  /** Opens a file; {@code -} is standard input. */
  public RecordPieces(Path path) throws IOException {
    this.path = path;
    if (Files.isDirectory(path)) {
      throw new IOException(path + ": is a directory, expected a file");
    }
    InputStream file =
        new BufferedInputStream(
            path.equals(STANDARD_INPUT) ? System.in : Files.newInputStream(path), PIECE_BYTES);
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

  /** Advances to the next piece; false at the end of the file. */
  public boolean next() throws IOException {
    return header == null ? nextLines() : nextBlock();
  }

  /** Encoding of the records. */
  public RecordEncoding encoding() {
    return header == null ? RecordEncoding.JSON : RecordEncoding.AVRO;
  }

  /** The piece: the first {@link #length()} bytes, valid until {@link #next}. */
  public byte[] bytes() {
    return piece;
  }

  /** Length of the piece. */
  public int length() {
    return length;
  }

  /** Number of records in the piece; JSON only. */
  public int records() {
    return records;
  }

  /** Offset of the piece in the decompressed file; JSON only. */
  public long start() {
    return start;
  }

  private boolean nextLines() throws IOException {
    System.arraycopy(piece, length, piece, 0, filled - length);
    filled -= length;
    length = 0;
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
      length = end;
      records = linesOf(piece, end);
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
    if (length >= MAX_PIECE_BYTES) {
      throw new IOException(path + ": line longer than " + length + " bytes");
    }
    return length * 2;
  }

  private static int linesOf(byte[] text, int end) {
    int lines = 0;
    boolean isBlank = true;
    for (int i = 0; i < end; i++) {
      if (text[i] == '\n') {
        lines += isBlank ? 0 : 1;
        isBlank = true;
      } else if (text[i] > ' ' || text[i] < 0) {
        isBlank = false;
      }
    }
    return isBlank ? lines : lines + 1;
  }

  private boolean nextBlock() throws IOException {
    ByteArrayOutputStream copy = new ByteArrayOutputStream();
    copy.write(header);
    in.mark(1);
    if (in.read() < 0) {
      return false;
    }
    in.reset();
    records = (int) Math.min(Integer.MAX_VALUE, readVarint(copy));
    copyBytes(copy, readVarint(copy) + SYNC_BYTES);
    piece = copy.toByteArray();
    length = piece.length;
    return true;
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
    if (count < 0 || count > MAX_PIECE_BYTES) {
      throw new IOException(path + ": invalid block size of " + count + " bytes");
    }
    byte[] bytes = in.readNBytes((int) count);
    if (bytes.length < count) {
      throw new EOFException(path + ": truncated block");
    }
    copy.write(bytes);
  }

  private long readVarint(ByteArrayOutputStream copy) throws IOException {
    long raw = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      int b = in.read();
      if (b < 0) {
        throw new EOFException(path + ": truncated block");
      }
      copy.write(b);
      raw |= (b & 0x7FL) << shift;
      if (b < 0x80) {
        return (raw >>> 1) ^ -(raw & 1);
      }
    }
    throw new IOException(path + ": not an Avro container file");
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
