package io.millrace.wire.gateway;

import io.millrace.wire.record.KafkaPartitions;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.Senders;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Gateway records as received, with their arrival time: one value of the log.
 *
 * <p>All numbers are big-endian except the fingerprint, which has the byte order of Avro:
 *
 * <pre>
 *   0       2       3       4             12        16
 *   +-------+-------+-------+-------------+---------+-----------+-------------+-----------+
 *   | "MG"  | ver 1 | flags | arrival, µs | records | [client]  | fingerprint |  records  |
 *   +-------+-------+-------+-------------+---------+-----------+-------------+-----------+
 *                                                                 8, Avro only
 *   flags: 1 Avro, else JSON; 2 and 4 the code of the form of records without one, 0 for none;
 *          8 one client and frame; 16 several; 32 backfill
 *   client: length (1 byte), its id (UTF-8), number of its frame (8)
 *   several: their bytes (4), then each as above
 * </pre>
 *
 * Records in JSON are objects, each followed by a line feed; in Avro they are consecutive datums of
 * the schema with that fingerprint. All belong to the partition of the value ({@link
 * KafkaPartitions}), in order of arrival. The frame number of a client acknowledges that all
 * records of its frames up to this one are in the partition.
 */
public final class GatewayBatch {
  static final int HEADER_LENGTH = 16;

  private static final int MAGIC = ('M' << 8 | 'G') << 8 | 1;
  private static final int FLAGS_OFFSET = 3;
  private static final int ARRIVAL_OFFSET = 4;
  private static final int COUNT_OFFSET = 12;
  private static final int AVRO = 1;
  private static final int FORM_SHIFT = 1;
  private static final int FORM_MASK = 3;
  private static final int CLIENT = 8;
  private static final int CLIENTS = 16;
  private static final int BACKFILL = 32;
  private static final int ALL_FLAGS = 63;
  private static final int FINGERPRINT_LENGTH = 8;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LITTLE_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private final byte[] bytes;
  private final int length;

  private GatewayBatch(byte[] bytes, int length) {
    this.bytes = bytes;
    this.length = length;
  }

  /** A view of a value of the log, which may be arbitrary bytes; they are not copied. */
  public static GatewayBatch wrap(byte[] value, int length) {
    return new GatewayBatch(value, length);
  }

  /** Whether the header is that of a readable batch. */
  public boolean isSound() {
    if (length < HEADER_LENGTH
        || (int) INT.get(bytes, 0) >>> 8 != MAGIC
        || (flags() & ~ALL_FLAGS) != 0
        || count() < 0) {
      return false;
    }
    return areSendersSound()
        && HEADER_LENGTH + sendersLength() + (isAvro() ? FINGERPRINT_LENGTH : 0) <= length
        && count() <= length;
  }

  private boolean areSendersSound() {
    if (hasClient()) {
      return !hasClients() && length > HEADER_LENGTH;
    }
    if (!hasClients()) {
      return true;
    }
    if (length < HEADER_LENGTH + Integer.BYTES
        || (int) INT.get(bytes, HEADER_LENGTH) < 0
        || (int) INT.get(bytes, HEADER_LENGTH) > length - HEADER_LENGTH - Integer.BYTES) {
      return false;
    }
    int end = HEADER_LENGTH + sendersLength();
    int at = HEADER_LENGTH + Integer.BYTES;
    while (at < end) {
      at += senderLength(at);
    }
    return at == end;
  }

  private int flags() {
    return bytes[FLAGS_OFFSET];
  }

  private boolean isAvro() {
    return (flags() & AVRO) != 0;
  }

  private boolean hasClient() {
    return (flags() & CLIENT) != 0;
  }

  private boolean hasClients() {
    return (flags() & CLIENTS) != 0;
  }

  private int senderLength(int at) {
    return 1 + (bytes[at] & 0xFF) + Long.BYTES;
  }

  private int sendersLength() {
    if (hasClients()) {
      return Integer.BYTES + (int) INT.get(bytes, HEADER_LENGTH);
    }
    return hasClient() ? senderLength(HEADER_LENGTH) : 0;
  }

  /** Arrival of the records at the server, microseconds since the epoch. */
  public long arrival() {
    return (long) LONG.get(bytes, ARRIVAL_OFFSET);
  }

  /** Number of records. */
  public int count() {
    return (int) INT.get(bytes, COUNT_OFFSET);
  }

  /** Encoding of the records. */
  public RecordEncoding encoding() {
    return isAvro() ? RecordEncoding.AVRO : RecordEncoding.JSON;
  }

  /** Whether the records are a backfill, whose totals are separate from live ones. */
  public boolean isBackfill() {
    return (flags() & BACKFILL) != 0;
  }

  int formCode() {
    return flags() >> FORM_SHIFT & FORM_MASK;
  }

  Optional<String> client() {
    return hasClient() || sendersLength() > Integer.BYTES
        ? Optional.of(clientAt(firstSender()))
        : Optional.empty();
  }

  /** Frame number of the client; −1 if there is none. */
  long frame() {
    return hasClient() || sendersLength() > Integer.BYTES ? frameAt(firstSender()) : -1;
  }

  /** Passes all clients and their last frames in the batch to a receiver, each client once. */
  public void senders(Senders to) {
    int end = HEADER_LENGTH + sendersLength();
    for (int at = firstSender(); at < end; at += senderLength(at)) {
      to.sender(clientAt(at), frameAt(at));
    }
  }

  private int firstSender() {
    return HEADER_LENGTH + (hasClients() ? Integer.BYTES : 0);
  }

  private String clientAt(int at) {
    return new String(bytes, at + 1, bytes[at] & 0xFF, StandardCharsets.UTF_8);
  }

  private long frameAt(int at) {
    return (long) LONG.get(bytes, at + senderLength(at) - Long.BYTES);
  }

  long fingerprint() {
    return (long) LITTLE_LONG.get(bytes, records() - FINGERPRINT_LENGTH);
  }

  int records() {
    return HEADER_LENGTH + sendersLength() + (isAvro() ? FINGERPRINT_LENGTH : 0);
  }

  /** The bytes themselves, not a copy; only the first {@link #length()} belong to the batch. */
  public byte[] bytes() {
    return bytes;
  }

  /** Length of the batch in bytes. */
  public int length() {
    return length;
  }

  /** Writer of a batch, record by record; reused after {@link #begin}. Not thread-safe. */
  public static final class Writer {
    private byte[] bytes = new byte[1 << 10];
    private int length;
    private int count;
    private boolean isJson;
    private byte[] senders = new byte[0];
    private int sendersLength;

    /** A writer. */
    public Writer() {}

    /**
     * Begins a batch.
     *
     * @param form of records without one
     * @param client id of the sender of a frame, at most {@link Senders#MOST_CLIENT_BYTES} in
     *     UTF-8; null if records come without frames
     * @param frame its number; ignored without a client
     */
    public void begin(
        RecordEncoding encoding,
        Optional<GatewayForm> form,
        long arrival,
        byte[] client,
        long frame) {
      if (client != null && client.length > Senders.MOST_CLIENT_BYTES) {
        throw new IllegalArgumentException(
            "client id of "
                + client.length
                + " bytes, expected at most "
                + Senders.MOST_CLIENT_BYTES);
      }
      isJson = encoding == RecordEncoding.JSON;
      int flags =
          (isJson ? 0 : AVRO)
              | form.map(GatewayForm::code).orElse(GatewayForm.UNSPECIFIED) << FORM_SHIFT
              | (client == null ? 0 : CLIENT);
      length = HEADER_LENGTH;
      count = 0;
      sendersLength = 0;
      INT.set(bytes, 0, MAGIC << 8 | flags);
      LONG.set(bytes, ARRIVAL_OFFSET, arrival);
      if (client != null) {
        int at = reserve(1 + client.length + Long.BYTES);
        bytes[at] = (byte) client.length;
        System.arraycopy(client, 0, bytes, at + 1, client.length);
        LONG.set(bytes, at + 1 + client.length, frame);
      }
      if (!isJson) {
        int at = reserve(FINGERPRINT_LENGTH);
        LITTLE_LONG.set(bytes, at, GatewaySchema.fingerprint());
      }
    }

    /** Marks the records of the batch as a backfill. */
    public void backfill() {
      bytes[FLAGS_OFFSET] |= BACKFILL;
    }

    private int reserve(int more) {
      int at = length;
      length = Math.addExact(at, more);
      if (length > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(length, bytes.length * 2));
      }
      return at;
    }

    /** Adds a record: a JSON object, or a datum of the current schema without a header. */
    public void add(byte[] source, int offset, int size) {
      int at = reserve(size + (isJson ? 1 : 0));
      System.arraycopy(source, offset, bytes, at, size);
      if (isJson) {
        bytes[at + size] = '\n';
      }
      count++;
    }

    /**
     * Adds a client and frame to a batch that was begun without a client.
     *
     * @param client its id, at most {@link Senders#MOST_CLIENT_BYTES}; each client once
     * @param frame number of its last frame
     */
    public void addSender(byte[] client, long frame) {
      int at = sendersLength == 0 ? Integer.BYTES : sendersLength;
      sendersLength = at + 1 + client.length + Long.BYTES;
      if (sendersLength > senders.length) {
        senders = Arrays.copyOf(senders, Math.max(64, sendersLength * 2));
      }
      senders[at] = (byte) client.length;
      System.arraycopy(client, 0, senders, at + 1, client.length);
      LONG.set(senders, at + 1 + client.length, frame);
    }

    /** Number of records so far. */
    public int count() {
      return count;
    }

    /** Bytes so far, including the header. */
    public int length() {
      return length;
    }

    /** Copies the finished batch to an array. */
    public byte[] toBytes() {
      INT.set(bytes, COUNT_OFFSET, count);
      if (sendersLength == 0) {
        return Arrays.copyOf(bytes, length);
      }
      INT.set(senders, 0, sendersLength - Integer.BYTES);
      byte[] value = new byte[length + sendersLength];
      System.arraycopy(bytes, 0, value, 0, HEADER_LENGTH);
      value[FLAGS_OFFSET] |= CLIENTS;
      System.arraycopy(senders, 0, value, HEADER_LENGTH, sendersLength);
      System.arraycopy(
          bytes, HEADER_LENGTH, value, HEADER_LENGTH + sendersLength, length - HEADER_LENGTH);
      return value;
    }
  }
}
