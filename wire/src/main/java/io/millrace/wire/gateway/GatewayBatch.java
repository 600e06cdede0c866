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
 * Records of gateways as they came, with the time of their arrival: one value of the log.
 *
 * <p>All numbers are big-endian but for the fingerprint, which stands as it does on the wire:
 *
 * <pre>
 *   0       2       3       4             12        16
 *   +-------+-------+-------+-------------+---------+-----------+-------------+-----------+
 *   | "MG"  | ver 1 | flags | arrival, µs | records | [client]  | fingerprint |  records  |
 *   +-------+-------+-------+-------------+---------+-----------+-------------+-----------+
 *                                                                 8, Avro only
 *   flags: 1 Avro, else JSON; 2 and 4 the code of the form where a record says none, 0 for none;
 *          8 a client and a frame are told; 16 several are; 32 records of the past
 *   client: length (1 byte), its id (UTF-8), number of its frame (8)
 *   several: their bytes (4), then each as above
 * </pre>
 *
 * Records in JSON are objects with a line feed behind each; in Avro datums of the schema with that
 * fingerprint, one behind the other. All are of gateways whose partition is that of the value
 * ({@link KafkaPartitions}), in the order in which they came. A client's frame says: what its
 * frames up to this one hold for the partition is in it, here or before.
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

  /** A view of a value of the log, which may be anything; the bytes are not copied. */
  public static GatewayBatch wrap(byte[] value, int length) {
    return new GatewayBatch(value, length);
  }

  /** Whether the header is that of a batch which this release can read. */
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

  /** Bytes of the client and the frame that stand there, together. */
  private int senderLength(int at) {
    return 1 + (bytes[at] & 0xFF) + Long.BYTES;
  }

  /** Bytes between the header and the records that tell of clients. */
  private int sendersLength() {
    if (hasClients()) {
      return Integer.BYTES + (int) INT.get(bytes, HEADER_LENGTH);
    }
    return hasClient() ? senderLength(HEADER_LENGTH) : 0;
  }

  /** When the records arrived at the server, microseconds since the epoch. */
  public long arrival() {
    return (long) LONG.get(bytes, ARRIVAL_OFFSET);
  }

  /** Number of records. */
  public int count() {
    return (int) INT.get(bytes, COUNT_OFFSET);
  }

  /** How the records are written. */
  public RecordEncoding encoding() {
    return isAvro() ? RecordEncoding.AVRO : RecordEncoding.JSON;
  }

  /** Whether the records are history, which is added up apart from what comes now. */
  public boolean isBackfill() {
    return (flags() & BACKFILL) != 0;
  }

  int formCode() {
    return flags() >> FORM_SHIFT & FORM_MASK;
  }

  /** The client that sent the frame from which the records come; empty where none is told. */
  Optional<String> client() {
    return hasClient() || sendersLength() > Integer.BYTES
        ? Optional.of(clientAt(firstSender()))
        : Optional.empty();
  }

  /** The client's number of the frame; −1 where none is told. */
  long frame() {
    return hasClient() || sendersLength() > Integer.BYTES ? frameAt(firstSender()) : -1;
  }

  /** Tells all clients and their last frames in the batch, each client once. */
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

  /** Fingerprint of the schema of records in Avro. */
  long fingerprint() {
    return (long) LITTLE_LONG.get(bytes, records() - FINGERPRINT_LENGTH);
  }

  /** Where the first record starts. */
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

  /** Fills a batch record by record; used again after {@link #begin}. Not thread-safe. */
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
     * @param form of records that do not say one
     * @param client id of the sender of a frame, at most {@link Senders#MOST_CLIENT_BYTES} in
     *     UTF-8; null where frames have none
     * @param frame its number; not looked at without a client
     */
    public void begin(
        RecordEncoding encoding,
        Optional<GatewayForm> form,
        long arrival,
        byte[] client,
        long frame) {
      if (client != null && client.length > Senders.MOST_CLIENT_BYTES) {
        throw new IllegalArgumentException("a client's id of " + client.length + " bytes");
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

    /** Says of the batch that was begun that its records are history. */
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
     * Says that records are of a client's frames, for batches that were begun without a client.
     *
     * @param client its id, at most {@link Senders#MOST_CLIENT_BYTES}; each client once
     * @param frame number of the last of them
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

    /** Bytes so far, the header included. */
    public int length() {
      return length;
    }

    /** The finished batch as a value of its own for the log. */
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
