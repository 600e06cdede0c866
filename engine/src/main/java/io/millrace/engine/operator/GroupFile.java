package io.millrace.engine.operator;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.StreamStateHandle;

/** A file of key groups: length (int) and bytes of each group that is not empty. */
final class GroupFile {
  /** Flink's marker for a group that was not written. */
  static final long NO_OFFSET = -1;

  private static final int FIRST_CAPACITY = 64 << 10;

  private final StreamStateHandle handle;
  private final long[] offsets;

  private GroupFile(StreamStateHandle handle, long[] offsets) {
    this.handle = handle;
    this.offsets = offsets;
  }

  StreamStateHandle handle() {
    return handle;
  }

  /** Offsets of the groups of the range, in order; {@link #NO_OFFSET} for an empty group. */
  long[] offsets() {
    return offsets;
  }

  interface Source {
    /**
     * Appends the bytes of a group. If it returns false, the group is empty and appended bytes are
     * ignored.
     */
    boolean write(int group, BlockBuffer out) throws IOException;
  }

  interface Target {
    void read(int group, BlockInput in) throws Exception;
  }

  /**
   * Writes a file and closes {@code stream}; returns null if all groups are empty. Closing {@code
   * givenUp} before the file is complete deletes it.
   */
  static GroupFile write(
      Source source,
      KeyGroups groups,
      CheckpointStateOutputStream stream,
      CloseableRegistry givenUp)
      throws IOException {
    givenUp.registerCloseable(stream);
    long[] offsets = new long[groups.size()];
    boolean empty = true;
    DataOutputStream out = new DataOutputStream(stream);
    BlockBuffer buffer = new BlockBuffer(FIRST_CAPACITY);
    for (int group = groups.first(); group <= groups.last(); group++) {
      int i = group - groups.first();
      offsets[i] = NO_OFFSET;
      buffer.clear();
      if (source.write(group, buffer)) {
        offsets[i] = stream.getPos();
        out.writeInt(buffer.length());
        out.write(buffer.bytes(), 0, buffer.length());
        empty = false;
      }
    }
    out.flush();
    if (!givenUp.unregisterCloseable(stream)) {
      throw new IOException("the checkpoint was aborted");
    }
    if (empty) {
      stream.close();
      return null;
    }
    return new GroupFile(stream.closeAndGetHandle(), offsets);
  }

  static void read(FSDataInputStream in, long offset, int group, Target target) throws Exception {
    in.seek(offset);
    DataInputStream data = new DataInputStream(in);
    byte[] bytes = data.readNBytes(data.readInt());
    target.read(group, new BlockInput(bytes, 0, bytes.length));
  }
}
