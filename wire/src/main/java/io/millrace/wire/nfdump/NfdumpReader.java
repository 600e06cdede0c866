package io.millrace.wire.nfdump;

import io.millrace.wire.block.FlowBlock;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Reader of the flows of nfcapd and nfdump files, block by block: layout version 1 (nfdump 1.6) and
 * 2 (nfdump 1.7), of either byte order. It holds one block and its decompressed bytes. Not
 * thread-safe; the caller closes the stream.
 *
 * <pre>
 *   version 1   magic A50C, version, flags (4), blocks (4), ident (128), statistics (136)
 *   version 2   magic A50C, version, release (4), created (8), compression (1), encryption (1),
 *               appendix blocks (2), unused (4), offset of the appendix (8), block size (4),
 *               blocks (4)
 *   block       records (4), bytes (4), type (2), flags (2), bytes
 * </pre>
 *
 * <p>nfcapd multiplies the counters of sampled flows by the sampling rate, so the rate of all rows
 * is 1.
 */
public final class NfdumpReader {
  private static final int MAGIC = 0xA50C;
  private static final int VERSION_1_REST = 12 + 128 + 136 - 4;
  private static final int VERSION_2_REST = 40 - 4;
  private static final int MAX_BLOCK = 64 << 20;
  private static final int BLOCK_HEADER = 12;

  private static final int RECORDS_OF_VERSION_1 = 2;
  private static final int RECORDS_OF_VERSION_2 = 3;
  private static final int UNCOMPRESSED = 1;

  private final InputStream in;
  private final ByteOrder order;
  private final int version;
  private Compression compression = Compression.NONE;
  private long blocks;
  private long block;
  private long position;
  private byte[] bytes = new byte[0];
  private final ByteOutput plain = new ByteOutput();
  private final NfdumpRecords records;

  private NfdumpReader(
      InputStream in, ByteOrder order, int version, BiConsumer<String, String> rejected) {
    this.in = in;
    this.order = order;
    this.version = version;
    records = new NfdumpRecords(rejected);
  }

  /** Whether these are the first bytes of an nfdump file, of any version. */
  public static boolean recognises(byte[] head) {
    return head.length >= 4
        && ((head[0] == 0x0C && (head[1] & 0xFF) == 0xA5)
            || ((head[0] & 0xFF) == 0xA5 && head[1] == 0x0C));
  }

  /**
   * Opens a file.
   *
   * @param in buffered stream at the file's first byte
   * @param rejected receives the reason and the position of each record without a row
   * @throws NfdumpException for an unsupported version or kind
   */
  public static NfdumpReader open(InputStream in, BiConsumer<String, String> rejected)
      throws IOException {
    byte[] head = in.readNBytes(4);
    if (!recognises(head)) {
      throw new NfdumpException("not an nfdump file");
    }
    ByteOrder order = head[0] == 0x0C ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    ByteBuffer start = ByteBuffer.wrap(head).order(order);
    assert (start.getShort(0) & 0xFFFF) == MAGIC;
    int version = start.getShort(2) & 0xFFFF;
    NfdumpReader reader = new NfdumpReader(in, order, version, rejected);
    reader.readHeader();
    return reader;
  }

  private void readHeader() throws IOException {
    position = 4;
    switch (version) {
      case 1 -> {
        ByteBuffer rest = ByteBuffer.wrap(take(VERSION_1_REST, "the header")).order(order);
        int flags = rest.getInt(0);
        compression =
            (flags & 1) != 0
                ? Compression.LZO
                : (flags & 8) != 0
                    ? Compression.BZIP2
                    : (flags & 16) != 0 ? Compression.LZ4 : Compression.NONE;
        blocks = Integer.toUnsignedLong(rest.getInt(4));
      }
      case 2 -> {
        ByteBuffer rest = ByteBuffer.wrap(take(VERSION_2_REST, "the header")).order(order);
        int code = rest.get(12) & 0xFF;
        if (code >= Compression.values().length) {
          throw new NfdumpException("unsupported compression " + code + ", expected 0 to 4");
        }
        compression = Compression.values()[code];
        if (rest.get(13) != 0) {
          throw new NfdumpException("encrypted file; decrypt it first");
        }
        boolean isOpen = rest.getLong(20) == 0;
        blocks = isOpen ? 0 : Integer.toUnsignedLong(rest.getInt(32));
        if (!isOpen && blocks == 0) {
          blocks = -1; // file closed without a flow
        }
      }
      default ->
          throw new NfdumpException(
              "unsupported layout version "
                  + version
                  + ", expected 1 (nfdump 1.6) or 2 (nfdump 1.7)");
    }
  }

  private byte[] take(int count, String what) throws IOException {
    byte[] taken = in.readNBytes(count);
    position += taken.length;
    if (taken.length < count) {
      throw new NfdumpException(what + " is truncated");
    }
    return taken;
  }

  /**
   * Reads the next block.
   *
   * @param out receives its rows, in blocks of at most {@link FlowBlock#MANY_ROWS}
   * @return whether there was one
   * @throws NfdumpException if it is damaged; rows before the damage were passed to {@code out}
   */
  public boolean next(Consumer<FlowBlock> out) throws IOException {
    // A file that nfcapd is still writing, or did not close, has no number of blocks.
    if (blocks != 0 && block >= Math.max(0, blocks)) {
      return false;
    }
    long start = position;
    byte[] head = in.readNBytes(BLOCK_HEADER);
    position += head.length;
    if (head.length == 0 && blocks == 0) {
      return false;
    }
    block++;
    if (head.length < BLOCK_HEADER) {
      throw damaged(start, "is truncated");
    }
    ByteBuffer header = ByteBuffer.wrap(head).order(order);
    long size = Integer.toUnsignedLong(header.getInt(4));
    int type = header.getShort(8) & 0xFFFF;
    int flags = header.getShort(10) & 0xFFFF;
    if (size > MAX_BLOCK) {
      throw damaged(start, "has a length of " + size + " bytes, more than " + MAX_BLOCK);
    }
    readBody(start, (int) size);
    if (type != RECORDS_OF_VERSION_1 && type != RECORDS_OF_VERSION_2) {
      return true; // catalogues etc.
    }
    try {
      Compression used = (flags & UNCOMPRESSED) != 0 ? Compression.NONE : compression;
      used.decompress(bytes, (int) size, plain);
    } catch (EOFException e) {
      throw damaged(start, "cannot be decompressed: the compressed data is truncated");
    } catch (IOException e) {
      throw damaged(start, "cannot be decompressed: " + e.getMessage());
    }
    ByteBuffer content = ByteBuffer.wrap(plain.bytes(), 0, plain.length()).order(order);
    String fault = records.read(content, "block " + block, out);
    if (!fault.isEmpty()) {
      throw damaged(start, fault);
    }
    return true;
  }

  private void readBody(long start, int size) throws IOException {
    int read = 0;
    while (read < size) {
      int room =
          Math.min(
              size,
              Math.max(
                  1 << 20,
                  2 * read)); // allocates by the bytes received, not by the announced length
      if (bytes.length < room) {
        bytes = java.util.Arrays.copyOf(bytes, room);
      }
      int n = in.readNBytes(bytes, read, Math.min(size, bytes.length) - read);
      if (n == 0) {
        throw damaged(start, "is truncated");
      }
      read += n;
      position += n;
    }
  }

  private NfdumpException damaged(long start, String what) {
    return new NfdumpException(
        String.format(Locale.ROOT, "block %d at byte %,d %s", block, start, what));
  }
}
