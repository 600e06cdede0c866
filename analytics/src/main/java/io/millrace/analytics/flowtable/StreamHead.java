package io.millrace.analytics.flowtable;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Arrays;

/**
 * First bytes of one direction of a TCP connection, in order (RFC 9293 section 3.4). Repeated bytes
 * change nothing; early segments wait, a few of them. Its memory is reserved from a {@link
 * HeadMemory}, to which {@link #close} returns it. Not thread-safe.
 */
public final class StreamHead {
  private static final int MAX_WAITING = 8;
  private static final int FIRST_LENGTH = 2048;
  private static final byte[] NO_BYTES = {};

  private final int maxBytes;
  private final HeadMemory memory;
  private byte[] bytes = NO_BYTES;
  private int length;
  private int next;
  private boolean hasBegun;
  private boolean isFull;
  private byte[][] waiting;
  private int[] waitingAt;
  private int waitingCount;

  /**
   * An empty head.
   *
   * @param maxBytes maximum length in order
   */
  public StreamHead(int maxBytes, HeadMemory memory) {
    this.maxBytes = maxBytes;
    this.memory = memory;
  }

  /** Sets the first sequence number of the stream, from a SYN. */
  public void begin(int sequence) {
    if (!hasBegun) {
      hasBegun = true;
      next = sequence;
    }
  }

  /** Whether these bytes are next, and all that there is: then none need be copied. */
  public boolean isWhole(int sequence) {
    return length == 0 && !isFull && (!hasBegun || sequence == next);
  }

  /** Adds a segment's payload. @return number of additional bytes in order */
  public int add(int sequence, byte[] from, int at, int end) {
    begin(sequence);
    int before = length;
    int gap = sequence - next;
    if (gap > 0) {
      keep(sequence, from, at, end);
      return 0;
    }
    append(from, at - gap, end);
    while (takeWaiting()) {
      // each iteration consumes one segment
    }
    return length - before;
  }

  private void append(byte[] from, int at, int end) {
    int count = Math.min(end - at, maxBytes - length);
    if (count <= 0) {
      isFull |= end > at;
      return;
    }
    if (length + count > bytes.length) {
      int grown = Math.min(maxBytes, Math.max(Math.max(FIRST_LENGTH, 2 * length), length + count));
      if (!memory.take(grown - bytes.length)) {
        isFull = true;
        return;
      }
      bytes = Arrays.copyOf(bytes, grown);
    }
    System.arraycopy(from, at, bytes, length, count);
    length += count;
    next += end - at;
    isFull |= count < end - at;
  }

  private void keep(int sequence, byte[] from, int at, int end) {
    if (waitingCount == MAX_WAITING || sequence - next > maxBytes || !memory.take(end - at)) {
      isFull = true; // the gap will not be filled
      return;
    }
    if (waiting == null) {
      waiting = new byte[MAX_WAITING][];
      waitingAt = new int[MAX_WAITING];
    }
    waiting[waitingCount] = Arrays.copyOfRange(from, at, end);
    waitingAt[waitingCount++] = sequence;
  }

  private boolean takeWaiting() {
    for (int i = 0; i < waitingCount; i++) {
      int gap = waitingAt[i] - next;
      if (gap <= 0) {
        byte[] segment = waiting[i];
        waitingCount--;
        waiting[i] = waiting[waitingCount];
        waitingAt[i] = waitingAt[waitingCount];
        waiting[waitingCount] = null;
        memory.give(segment.length);
        append(segment, Math.min(segment.length, -gap), segment.length);
        return true;
      }
    }
    return false;
  }

  /** Array with the bytes in order, from 0; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Number of bytes in order. */
  public int length() {
    return length;
  }

  /** Whether no more bytes are accepted: there are enough, a gap stays, or there is no memory. */
  public boolean isFull() {
    return isFull;
  }

  /** Appends its content, for a checkpoint. */
  public void write(BlockBuffer out) {
    out.putByte((hasBegun ? 1 : 0) | (isFull ? 2 : 0));
    out.putInt(next);
    out.putInt(length);
    out.put(bytes, 0, length);
    out.putByte(waitingCount);
    for (int i = 0; i < waitingCount; i++) {
      out.putInt(waitingAt[i]);
      out.putInt(waiting[i].length);
      out.put(waiting[i], 0, waiting[i].length);
    }
  }

  /** Restores the bytes of {@link #write}, into an empty head. */
  public void read(BlockInput in) {
    int flags = in.takeByte();
    hasBegun = (flags & 1) != 0;
    int expected = in.takeInt();
    int count = in.takeInt();
    int from = in.take(count);
    append(in.bytes(), from, from + count);
    next = expected;
    int segments = in.takeByte();
    for (int i = 0; i < segments; i++) {
      int sequence = in.takeInt();
      int size = in.takeInt();
      int at = in.take(size);
      keep(sequence, in.bytes(), at, at + size);
    }
    isFull |= (flags & 2) != 0;
  }

  /** Releases the memory. */
  public void close() {
    memory.give(bytes.length);
    for (int i = 0; i < waitingCount; i++) {
      memory.give(waiting[i].length);
    }
    bytes = NO_BYTES;
    length = 0;
    waitingCount = 0;
    waiting = null;
    isFull = true;
  }
}
