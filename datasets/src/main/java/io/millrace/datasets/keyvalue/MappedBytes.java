package io.millrace.datasets.keyvalue;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A section of a file, mapped in chunks of 1 GiB; each chunk also maps the first bytes of the next,
 * so that a read may cross its end. Read-only and thread-safe. The garbage collector unmaps it, but
 * never during a read.
 */
final class MappedBytes {
  private static final int PIECE_BITS = 30;
  private static final long PIECE = 1L << PIECE_BITS;

  static final int MAX_READ = 1 << 20;

  private final MappedByteBuffer[] pieces;

  MappedBytes(FileChannel channel, long offset, long length) throws IOException {
    pieces = new MappedByteBuffer[(int) ((length + PIECE - 1) >>> PIECE_BITS)];
    for (int i = 0; i < pieces.length; i++) {
      long from = i * PIECE;
      long size = Math.min(PIECE + MAX_READ, length - from);
      pieces[i] = channel.map(FileChannel.MapMode.READ_ONLY, offset + from, size);
      pieces[i].order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  int getInt(long at) {
    return pieces[(int) (at >>> PIECE_BITS)].getInt((int) (at & (PIECE - 1)));
  }

  long getLong(long at) {
    return pieces[(int) (at >>> PIECE_BITS)].getLong((int) (at & (PIECE - 1)));
  }

  void get(long at, byte[] to, int length) {
    pieces[(int) (at >>> PIECE_BITS)].get((int) (at & (PIECE - 1)), to, 0, length);
  }
}
