package io.millrace.engine.operator;

import io.millrace.analytics.PartitionedState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A piece of {@link PartitionedState} in a checkpoint: key (4 bytes), version (8), state. */
record StatePiece(ByteBuffer bytes) {
  private static final int VERSION_OFFSET = Integer.BYTES;
  private static final int STATE_OFFSET = VERSION_OFFSET + Long.BYTES;

  static List<byte[]> all(PartitionedState state) throws Exception {
    List<byte[]> pieces = new ArrayList<>();
    state.snapshot(
        (key, version, bytes) ->
            pieces.add(
                ByteBuffer.allocate(STATE_OFFSET + bytes.length)
                    .putInt(key)
                    .putLong(version)
                    .put(bytes)
                    .array()));
    return pieces;
  }

  static Collection<StatePiece> newest(Iterable<byte[]> pieces) {
    Map<Integer, StatePiece> newest = new TreeMap<>();
    for (byte[] bytes : pieces) {
      StatePiece piece = new StatePiece(ByteBuffer.wrap(bytes));
      newest.merge(
          piece.key(), piece, (one, other) -> one.version() >= other.version() ? one : other);
    }
    return newest.values();
  }

  int key() {
    return bytes.getInt(0);
  }

  long version() {
    return bytes.getLong(VERSION_OFFSET);
  }

  byte[] state() {
    byte[] state = new byte[bytes.limit() - STATE_OFFSET];
    bytes.get(STATE_OFFSET, state);
    return state;
  }
}
