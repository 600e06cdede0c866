package io.millrace.analytics.flowtable;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Arrays;

/**
 * First bytes of one direction of a TCP connection, reassembled by sequence number, modulo 2³² (RFC
 * 9293 section 3.4). Retransmitted bytes are ignored; the first copy of a byte wins. At most
 * {@value #MAX_WAITING} segments after a gap are buffered. Without a SYN, the first segment begins
 * the stream. Its memory is reserved from a {@link HeadMemory}, to which {@link #close} returns it.
 * Not thread-safe.
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
   * @param maxBytes maximum number of bytes in order, and maximum distance of a segment after a gap
   * @param memory limit shared by all heads of a step
   */
  public StreamHead(int maxBytes, HeadMemory memory) {
    this.maxBytes = maxBytes;
    this.memory = memory;
  }

  /**
   * Sets the sequence number of the first byte; ignored if the stream has begun.
   *
   * @param sequence that of the SYN plus 1, as an unsigned number
   */
  public void begin(int sequence) {
    if (!hasBegun) {
      hasBegun = true;
      next = sequence;
    }
  }

  /**
   * Whether a segment with this sequence number begins the stream, so that its payload can be read
   * in place instead of being added.
   */
  public boolean isWhole(int sequence) {
    return length == 0 && !isFull && (!hasBegun || sequence == next);
  }

  /**
   * Adds a segment's payload, which is copied.
   *
   * @param sequence sequence number of the first byte, unsigned
   * @param from array with the payload
   * @param at start of the payload in the array
   * @param end end of the payload, exclusive
   * @return number of additional bytes in order; 0 after a gap, or if the head is full
   */
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
      if (!memory.reserve(grown - bytes.length)) {
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
    if (waitingCount == MAX_WAITING || sequence - next > maxBytes || !memory.reserve(end - at)) {
      isFull = true; // too many segments wait: give up on the gap
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
        memory.release(segment.length);
        append(segment, Math.min(segment.length, -gap), segment.length);
        return true;
      }
    }
    return false;
  }

  /**
   * Array whose first {@link #length} bytes are those in order; not a copy, valid until the next
   * call.
   */
  public byte[] bytes() {
    return bytes;
  }

  /** Number of bytes in order. */
  public int length() {
    return length;
  }

  /**
   * Whether no more bytes are accepted: the maximum is reached, a gap remains, or there is no more
   * memory.
   */
  public boolean isFull() {
    return isFull;
  }

  /**
   * Appends its content for a checkpoint: flags, next sequence number, bytes, buffered segments.
   */
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

  /**
   * Restores the bytes of {@link #write} into an empty head; keeps as much as its maximum and the
   * memory allow.
   *
   * @throws RuntimeException if the bytes end early
   */
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

  /** Releases the memory; afterwards the head is empty and full. */
  public void close() {
    memory.release(bytes.length);
    for (int i = 0; i < waitingCount; i++) {
      memory.release(waiting[i].length);
    }
    bytes = NO_BYTES;
    length = 0;
    waitingCount = 0;
    waiting = null;
    isFull = true;
  }
}
