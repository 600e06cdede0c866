package io.millrace.wire.record;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.BlockFormatException;
import io.millrace.wire.block.TableBlock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Valid records of a stream, as columns, with their arrival time: one value of the log.
 *
 * <p>Numbers of the header are big-endian:
 *
 * <pre>
 *   0      2       3       4             12           20        24        28
 *   +------+-------+-------+-------------+------------+---------+---------+---------+---------+
 *   | "MS" | ver 1 | flags | arrival, µs | newest, µs | records | senders | clients |  block  |
 *   +------+-------+-------+-------------+------------+---------+---------+---------+---------+
 *   flags:   0
 *   newest:  event time of the newest record
 *   senders: bytes of the clients
 *   client:  length (1 byte), its id (UTF-8), number of its last frame (8)
 *   block:   a {@link TableBlock} as {@link BlockCodec} writes it, with the names of its columns
 * </pre>
 *
 * All keys belong to the partition of the value ({@link KafkaPartitions}), in order of arrival. The
 * frame number of a client acknowledges that all records of its frames up to this one are in the
 * partition.
 */
public final class RecordBatch {
  /** Length of the header before the clients. */
  public static final int HEADER_LENGTH = 28;

  private static final int MAGIC = ('M' << 16 | 'S' << 8 | 1) << 8;
  private static final int ARRIVAL_OFFSET = 4;
  private static final int NEWEST_OFFSET = 12;
  private static final int COUNT_OFFSET = 20;
  private static final int SENDERS_OFFSET = 24;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private final byte[] bytes;
  private final int length;

  private RecordBatch(byte[] bytes, int length) {
    this.bytes = bytes;
    this.length = length;
  }

  /** A view of a value of the log, which may be any bytes; they are not copied. */
  public static RecordBatch wrap(byte[] value, int length) {
    return new RecordBatch(value, length);
  }

  /** Whether the header is that of a readable batch. */
  public boolean isSound() {
    if (length < HEADER_LENGTH || (int) INT.get(bytes, 0) != MAGIC || count() < 0) {
      return false;
    }
    int senders = (int) INT.get(bytes, SENDERS_OFFSET);
    if (senders < 0 || senders > length - HEADER_LENGTH) {
      return false;
    }
    int end = HEADER_LENGTH + senders;
    int at = HEADER_LENGTH;
    while (at < end) {
      at += senderLength(at);
    }
    return at == end;
  }

  private int senderLength(int at) {
    return senderLengthOf(bytes[at] & 0xFF);
  }

  /** Length of a client entry with an id of that length, in bytes. */
  public static int senderLengthOf(int idBytes) {
    return 1 + idBytes + Long.BYTES;
  }

  /** Arrival of the records at the server, microseconds since the epoch. */
  public long arrival() {
    return (long) LONG.get(bytes, ARRIVAL_OFFSET);
  }

  /** Event time of the newest record, microseconds since the epoch; 0 if there is none. */
  public long newest() {
    return (long) LONG.get(bytes, NEWEST_OFFSET);
  }

  /** Number of records. */
  public int count() {
    return (int) INT.get(bytes, COUNT_OFFSET);
  }

  /** Passes all clients and their last frames in the batch to a receiver, each client once. */
  public void senders(Senders to) {
    int end = HEADER_LENGTH + (int) INT.get(bytes, SENDERS_OFFSET);
    for (int at = HEADER_LENGTH; at < end; at += senderLength(at)) {
      int idLength = bytes[at] & 0xFF;
      to.sender(
          new String(bytes, at + 1, idLength, StandardCharsets.UTF_8),
          (long) LONG.get(bytes, at + 1 + idLength));
    }
  }

  /** The records of a valid batch, in a new block each time; empty if the bytes are invalid. */
  public Optional<TableBlock> block() {
    int at = HEADER_LENGTH + (int) INT.get(bytes, SENDERS_OFFSET);
    try {
      return BlockCodec.decode(bytes, at, length - at) instanceof TableBlock records
              && records.rows() == count()
          ? Optional.of(records)
          : Optional.empty();
    } catch (BlockFormatException e) {
      return Optional.empty();
    }
  }

  /** Writer of batches, reusable. Not thread-safe. */
  public static final class Writer {
    private final byte[] head = new byte[HEADER_LENGTH];
    private final BlockBuffer senders = new BlockBuffer(0);
    private final BlockBuffer out = new BlockBuffer(1 << 10);

    /** A writer. */
    public Writer() {}

    /**
     * Adds a client and frame whose records are in the batch.
     *
     * @param client its id, at most {@link Senders#MAX_CLIENT_BYTES}; each client once
     * @param frame number of its last frame
     */
    public void addSender(byte[] client, long frame) {
      byte[] number = new byte[Long.BYTES];
      LONG.set(number, 0, frame);
      senders.putByte(client.length);
      senders.put(client, 0, client.length);
      senders.put(number, 0, number.length);
    }

    /**
     * Returns the value for the log with all records of a block, and the clients added since the
     * last one.
     *
     * @param time column of their event time
     */
    public byte[] write(TableBlock records, int time, long arrivalMicros) {
      long newest = 0;
      long[] times = records.longs(time);
      for (int row = 0; row < records.rows(); row++) {
        newest = Math.max(newest, times[row]);
      }
      INT.set(head, 0, MAGIC);
      LONG.set(head, ARRIVAL_OFFSET, arrivalMicros);
      LONG.set(head, NEWEST_OFFSET, newest);
      INT.set(head, COUNT_OFFSET, records.rows());
      INT.set(head, SENDERS_OFFSET, senders.length());
      out.clear();
      out.put(head, 0, head.length);
      out.put(senders.bytes(), 0, senders.length());
      var unused = BlockCodec.encode(records, out);
      senders.clear();
      return out.toBytes();
    }
  }
}
