package io.millrace.wire.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Unmodified datagrams with their arrival time and sender: one value of the log. Or messages from
 * an external topic in a similar format.
 *
 * <p>The format is the same in memory, in the log and between processes, so that nothing is copied
 * or parsed before decoding. All numbers are big-endian:
 *
 * <pre>
 *   0        2     3        4            8
 *   +--------+-----+--------+------------+-----------+-----------+--
 *   | "MR"   | kind| ver 1  | count      | datagram  | datagram  | …
 *   +--------+-----+--------+------------+-----------+-----------+--
 *
 *   datagram:
 *   0            8                        24          26       28
 *   +------------+------------------------+-----------+--------+---------------+
 *   | time, µs   | sender, 16 bytes       | src port  | length | length bytes  |
 *   +------------+------------------------+-----------+--------+---------------+
 * </pre>
 *
 * Kind D may be decoded by any reader; kind O, which has templates or records that need them, must
 * be decoded in partition order by one reader.
 *
 * <p>Kinds P and L hold the values of messages, each a flow in protobuf (P) or any number of
 * length-prefixed flows (L). They are decoded in order too, since offsets identify repeated
 * messages:
 *
 * <pre>
 *   0            8                16               24                 28
 *   +------------+----------------+----------------+------------------+---------------+
 *   | time, µs   | source         | source offset  | length           | length bytes  |
 *   +------------+----------------+----------------+------------------+---------------+
 * </pre>
 *
 * Kind V has the same format and holds values of an external topic, each with any number of
 * records: the reader of the topic builds such a batch, which is in the log only if it could not be
 * decoded.
 *
 * <p>A source is one partition of one topic, as a unique number; its offsets increase.
 *
 * <p>A batch is written by {@link Writer} and iterated by {@code next = batch.next(cursor)}. Not
 * thread-safe.
 */
public final class RawBatch implements Block {
  /** Bytes before the first datagram. */
  public static final int HEADER_LENGTH = 8;

  /** Bytes before each datagram's payload. */
  public static final int DATAGRAM_HEADER_LENGTH = 28;

  private static final int MAGIC = ('M' << 24) | ('R' << 16) | ('D' << 8) | 1;
  private static final int MAGIC_IN_ORDER = ('M' << 24) | ('R' << 16) | ('O' << 8) | 1;
  private static final int MAGIC_MESSAGES = ('M' << 24) | ('R' << 16) | ('P' << 8) | 1;
  private static final int MAGIC_DELIMITED = ('M' << 24) | ('R' << 16) | ('L' << 8) | 1;
  private static final int MAGIC_VALUES = ('M' << 24) | ('R' << 16) | ('V' << 8) | 1;
  private static final int COUNT_OFFSET = 4;
  private static final int SENDER_OFFSET = 8;
  private static final int SOURCE_OFFSET_OFFSET = 16;
  private static final int PORT_OFFSET = 24;
  private static final int LENGTH_OFFSET = 26;
  private static final int MESSAGE_LENGTH_OFFSET = 24;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

  private final byte[] bytes;
  private final int length;
  private final int partition;
  private final long offset;
  private final int magic;
  private final boolean isMessages;

  private RawBatch(byte[] bytes, int length, int partition, long offset) {
    magic = length < HEADER_LENGTH ? 0 : (int) INT.get(bytes, 0);
    isMessages = magic == MAGIC_MESSAGES || magic == MAGIC_DELIMITED || magic == MAGIC_VALUES;
    this.bytes = bytes;
    this.length = length;
    this.partition = partition;
    this.offset = offset;
  }

  /**
   * A view of the log value at (partition, offset); the bytes are not copied.
   *
   * <p>Any value is accepted: if it is not a batch, it has no rows and {@link #isSound()} is false.
   */
  public static RawBatch wrap(byte[] value, int partition, long offset) {
    return new RawBatch(value, value.length, partition, offset);
  }

  /** Whether the header is valid for this release and each datagram is complete. */
  public boolean isSound() {
    if (magic != MAGIC && !requiresOrder()) {
      return false;
    }
    int count = (int) INT.get(bytes, COUNT_OFFSET);
    int cursor = first();
    for (int i = count; i > 0; i--) {
      if (cursor > length - DATAGRAM_HEADER_LENGTH
          || payloadLength(cursor) < 0
          || payloadLength(cursor) > length - DATAGRAM_HEADER_LENGTH - cursor) {
        return false;
      }
      cursor = next(cursor);
    }
    return count >= 0 && cursor == length;
  }

  /** Whether the batch must be decoded in partition order by one reader. */
  public boolean requiresOrder() {
    return magic == MAGIC_IN_ORDER || isMessages;
  }

  /** Whether the batch holds messages of a topic instead of datagrams. */
  public boolean isMessages() {
    return isMessages;
  }

  /** Whether the messages are values of an external topic instead of flows. */
  public boolean isValues() {
    return magic == MAGIC_VALUES;
  }

  /** Whether a message has any number of length-prefixed flows instead of one. */
  public boolean isDelimited() {
    return magic == MAGIC_DELIMITED;
  }

  /** Number of datagrams; for a value that is not sound, any number from 0. */
  @Override
  public int rows() {
    return length < HEADER_LENGTH ? 0 : Math.max(0, (int) INT.get(bytes, COUNT_OFFSET));
  }

  /** Partition of the log. */
  public int partition() {
    return partition;
  }

  /** Offset in the partition. */
  public long offset() {
    return offset;
  }

  /** The bytes, not a copy; only the first {@link #length()} belong to the batch. */
  public byte[] bytes() {
    return bytes;
  }

  /** Length of the batch in bytes. */
  public int length() {
    return length;
  }

  /** Cursor of the first datagram. */
  public int first() {
    return HEADER_LENGTH;
  }

  /** Cursor of the datagram after the one at {@code cursor}. */
  public int next(int cursor) {
    return cursor + DATAGRAM_HEADER_LENGTH + payloadLength(cursor);
  }

  /** Arrival of the datagram at {@code cursor}, microseconds since the epoch. */
  public long time(int cursor) {
    return (long) LONG.get(bytes, cursor);
  }

  /** Upper half of the sender's address, as {@link Addresses}. */
  public long senderHigh(int cursor) {
    return (long) LONG.get(bytes, cursor + SENDER_OFFSET);
  }

  /** Lower half of the sender's address. */
  public long senderLow(int cursor) {
    return (long) LONG.get(bytes, cursor + SENDER_OFFSET + 8);
  }

  /** The sender's UDP port. */
  public int senderPort(int cursor) {
    return (short) SHORT.get(bytes, cursor + PORT_OFFSET) & 0xFFFF;
  }

  /** Start of the payload in {@link #bytes()}. */
  public int payload(int cursor) {
    return cursor + DATAGRAM_HEADER_LENGTH;
  }

  /** Length of the payload in bytes; of a datagram 0 to 65,535. */
  public int payloadLength(int cursor) {
    return isMessages
        ? (int) INT.get(bytes, cursor + MESSAGE_LENGTH_OFFSET)
        : (short) SHORT.get(bytes, cursor + LENGTH_OFFSET) & 0xFFFF;
  }

  /** Source of the message at {@code cursor}. */
  public long source(int cursor) {
    return (long) LONG.get(bytes, cursor + SENDER_OFFSET);
  }

  /** Offset of the message in its source. */
  public long sourceOffset(int cursor) {
    return (long) LONG.get(bytes, cursor + SOURCE_OFFSET_OFFSET);
  }

  /** Builds a batch datagram by datagram; reusable after {@link #clear}. */
  public static final class Writer {
    private final int magic;
    private byte[] bytes;
    private int length = HEADER_LENGTH;
    private int count;

    /** A writer with an initial capacity of {@code capacity} bytes. */
    public Writer(int capacity) {
      this(capacity, MAGIC);
    }

    private Writer(int capacity, int magic) {
      this.magic = magic;
      bytes = new byte[Math.max(capacity, HEADER_LENGTH)];
    }

    /** A writer of batches that must be decoded in partition order. */
    public static Writer inOrder() {
      return new Writer(0, MAGIC_IN_ORDER);
    }

    /**
     * A writer of batches of messages, filled only by {@link #addMessage}.
     *
     * @param isDelimited whether each message has any number of length-prefixed flows
     */
    public static Writer ofMessages(boolean isDelimited) {
      return new Writer(0, isDelimited ? MAGIC_DELIMITED : MAGIC_MESSAGES);
    }

    /** A writer of batches of an external topic's values, filled by {@link #addMessage}. */
    public static Writer ofValues() {
      return ofValues(0, 0);
    }

    /**
     * {@link #ofValues()} with an initial capacity of {@code values} values and {@code valueBytes}
     * bytes in total.
     */
    public static Writer ofValues(int values, int valueBytes) {
      return new Writer(HEADER_LENGTH + values * DATAGRAM_HEADER_LENGTH + valueBytes, MAGIC_VALUES);
    }

    /** Number of datagrams added since the last {@link #clear}. */
    public int count() {
      return count;
    }

    /** Length of the batch so far in bytes, with its header. */
    public int length() {
      return length;
    }

    /**
     * Adds a datagram.
     *
     * @param time arrival, microseconds since the epoch
     * @param senderHigh upper half of the sender's address
     * @param senderLow lower half
     * @param senderPort UDP port of the sender
     * @param payload holds the datagram
     * @param payloadOffset its start
     * @param payloadLength its length
     * @throws IllegalArgumentException if the length is not 0 to 65,535
     */
    public void add(
        long time,
        long senderHigh,
        long senderLow,
        int senderPort,
        byte[] payload,
        int payloadOffset,
        int payloadLength) {
      int at = reserve(payloadLength);
      System.arraycopy(payload, payloadOffset, bytes, at + DATAGRAM_HEADER_LENGTH, payloadLength);
      finish(at, time, senderHigh, senderLow, senderPort, payloadLength);
    }

    /** Adds a datagram from a buffer's position to its limit; the position moves to the limit. */
    public void add(
        long time, long senderHigh, long senderLow, int senderPort, java.nio.ByteBuffer payload) {
      int payloadLength = payload.remaining();
      int at = reserve(payloadLength);
      payload.get(bytes, at + DATAGRAM_HEADER_LENGTH, payloadLength);
      finish(at, time, senderHigh, senderLow, senderPort, payloadLength);
    }

    /**
     * Adds a message.
     *
     * @param time of the message in its topic, microseconds since the epoch
     * @param source unique number of a topic's partition
     * @param sourceOffset of the message, larger than that of the source's previous one
     * @param payload holds the message's value
     * @param payloadOffset its start
     * @param payloadLength its length
     */
    public void addMessage(
        long time,
        long source,
        long sourceOffset,
        byte[] payload,
        int payloadOffset,
        int payloadLength) {
      int at = take(payloadLength);
      System.arraycopy(payload, payloadOffset, bytes, at + DATAGRAM_HEADER_LENGTH, payloadLength);
      finishMessage(at, time, source, sourceOffset, payloadLength);
    }

    /** Adds a message from a buffer's position to its limit; the position moves to the limit. */
    public void addMessage(long time, long source, long sourceOffset, java.nio.ByteBuffer payload) {
      int payloadLength = payload.remaining();
      int at = take(payloadLength);
      payload.get(bytes, at + DATAGRAM_HEADER_LENGTH, payloadLength);
      finishMessage(at, time, source, sourceOffset, payloadLength);
    }

    private void finishMessage(
        int at, long time, long source, long sourceOffset, int payloadLength) {
      LONG.set(bytes, at, time);
      LONG.set(bytes, at + SENDER_OFFSET, source);
      LONG.set(bytes, at + SOURCE_OFFSET_OFFSET, sourceOffset);
      INT.set(bytes, at + MESSAGE_LENGTH_OFFSET, payloadLength);
      length = at + DATAGRAM_HEADER_LENGTH + payloadLength;
      count++;
    }

    private int reserve(int payloadLength) {
      if (payloadLength >>> 16 != 0) {
        throw new IllegalArgumentException(
            "datagram of " + payloadLength + " bytes, maximum 65535");
      }
      return take(payloadLength);
    }

    private int take(int payloadLength) {
      int needed = length + DATAGRAM_HEADER_LENGTH + payloadLength;
      if (needed > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(needed, bytes.length * 2));
      }
      return length;
    }

    private void finish(
        int at, long time, long senderHigh, long senderLow, int senderPort, int payloadLength) {
      LONG.set(bytes, at, time);
      LONG.set(bytes, at + SENDER_OFFSET, senderHigh);
      LONG.set(bytes, at + SENDER_OFFSET + 8, senderLow);
      SHORT.set(bytes, at + PORT_OFFSET, (short) senderPort);
      SHORT.set(bytes, at + LENGTH_OFFSET, (short) payloadLength);
      length = at + DATAGRAM_HEADER_LENGTH + payloadLength;
      count++;
    }

    /** A copy of the batch as a value for the log. */
    public byte[] toBytes() {
      writeHeader();
      return Arrays.copyOf(bytes, length);
    }

    /**
     * {@link #toBytes}, without a copy if the batch fills the buffer; the writer cannot be used
     * afterwards.
     */
    public byte[] takeBytes() {
      writeHeader();
      byte[] taken = length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
      bytes = new byte[0];
      return taken;
    }

    private void writeHeader() {
      INT.set(bytes, 0, magic);
      INT.set(bytes, COUNT_OFFSET, count);
    }

    /** Clears the datagrams and keeps the memory. */
    public void clear() {
      length = HEADER_LENGTH;
      count = 0;
    }
  }
}
