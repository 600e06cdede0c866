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

/**
 * A file with bytes of key groups: of each the length (int) and the bytes. A group without bytes
 * has no place.
 */
final class GroupFile {
  /** What Flink's reader takes for a group that was not written. */
  static final long NO_OFFSET = -1;

  private static final int FIRST_CAPACITY = 64 << 10;

  private final StreamStateHandle handle;
  private final long[] offsets;

  private GroupFile(StreamStateHandle handle, long[] offsets) {
    this.handle = handle;
    this.offsets = offsets;
  }

  /** The file in checkpoint storage. */
  StreamStateHandle handle() {
    return handle;
  }

  /** Of the groups of the range, in their order; {@link #NO_OFFSET} for one without bytes. */
  long[] offsets() {
    return offsets;
  }

  /** What is written of each group. */
  interface Source {
    /** Appends the bytes of a group; gives false if there are none, whatever was appended. */
    boolean write(int group, BlockBuffer out) throws IOException;
  }

  /** What becomes of the bytes of a group. */
  interface Target {
    void read(int group, BlockInput in) throws Exception;
  }

  /**
   * Writes a file.
   *
   * @param stream new; it is closed
   * @param givenUp closes the stream if the checkpoint is given up; without a handle that deletes
   *     it
   * @return null if no group has bytes: there is no file then
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
      throw new IOException("the checkpoint was given up");
    }
    if (empty) {
      stream.close();
      return null;
    }
    return new GroupFile(stream.closeAndGetHandle(), offsets);
  }

  /** Reads the bytes of a group, at a place that {@link #write} noted. */
  static void read(FSDataInputStream in, long offset, int group, Target target) throws Exception {
    in.seek(offset);
    DataInputStream data = new DataInputStream(in);
    byte[] bytes = data.readNBytes(data.readInt());
    target.read(group, new BlockInput(bytes, 0, bytes.length));
  }
}
