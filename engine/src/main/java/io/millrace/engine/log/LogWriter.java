package io.millrace.engine.log;

import io.millrace.pulse.Pulse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Appends values to a topic, each exactly once and without blocking the caller: a value goes into a
 * bounded buffer, or is rejected.
 *
 * <p>The counters add up, in values and in rows (datagrams): <em>offered = rejected + acknowledged
 * + failed + waiting</em>, and waiting is 0 after {@link #close}. Values without key and partition
 * are distributed round-robin. Completions are called on the producer's thread.
 */
public final class LogWriter implements LogAppender, AutoCloseable {
  /**
   * Outcomes of all values so far.
   *
   * @param offeredRows rows of all values offered
   * @param rejectedRows rows rejected because the buffer was full, or the writer closed
   * @param acknowledgedRows rows that the log has stored
   * @param failedRows rows that the log did not acknowledge in time; it may have stored some of
   *     them
   * @param offeredValues values offered
   * @param rejectedValues values rejected
   * @param acknowledgedValues values acknowledged
   * @param failedValues values not acknowledged in time
   * @param acknowledgedBytes of the acknowledged values, before compression
   */
  public record Counts(
      long offeredRows,
      long rejectedRows,
      long acknowledgedRows,
      long failedRows,
      long offeredValues,
      long rejectedValues,
      long acknowledgedValues,
      long failedValues,
      long acknowledgedBytes) {
    long waitingRows() {
      return offeredRows - rejectedRows - acknowledgedRows - failedRows;
    }
  }

  private static final Duration START = Duration.ofSeconds(15);
  private static final int REQUEST_MILLIS = 10_000;

  /** Upper bound of Kafka's framing of a value with a short key. */
  private static final int FRAMING_BYTES = 1 << 10;

  private static final int SHARED_REQUEST_BYTES = 256 << 10;

  /**
   * The producer drops the metadata of a topic that is idle for this time, and would then reject
   * its next value.
   */
  private static final long NEVER_IDLE_MILLIS = Duration.ofDays(3650).toMillis();

  private final KafkaProducer<byte[], byte[]> producer;
  private final String topic;
  private final BooleanSupplier isDiskFull;
  private final int maxValueBytes;
  private final int partitions;
  private final AtomicLong turn = new AtomicLong();

  private final LongAdder offeredRows = new LongAdder();
  private final LongAdder rejectedRows = new LongAdder();
  private final LongAdder acknowledgedRows = new LongAdder();
  private final LongAdder failedRows = new LongAdder();
  private final LongAdder offeredValues = new LongAdder();
  private final LongAdder rejectedValues = new LongAdder();
  private final LongAdder acknowledgedValues = new LongAdder();
  private final LongAdder failedValues = new LongAdder();
  private final LongAdder acknowledgedBytes = new LongAdder();
  private volatile String lastFailure = "";

  /** Number of unacknowledged values. */
  private final AtomicLong waiting = new AtomicLong();

  private final Pulse pulse;

  /**
   * Creates a writer for an existing topic.
   *
   * @throws LogException if the log does not return the partitions within 15 s
   */
  public LogWriter(String bootstrapServers, String topic, LogConfig config) {
    this(bootstrapServers, topic, config, () -> false);
  }

  /**
   * Creates a writer that rejects values while the disk of the log is full.
   *
   * @param isDiskFull called for each value
   * @throws LogException if the log does not return the partitions within 15 s
   */
  public LogWriter(
      String bootstrapServers, String topic, LogConfig config, BooleanSupplier isDiskFull) {
    this(bootstrapServers, topic, config, isDiskFull, START);
  }

  LogWriter(
      String bootstrapServers,
      String topic,
      LogConfig config,
      BooleanSupplier isDiskFull,
      Duration timeout) {
    this.topic = topic;
    this.isDiskFull = isDiskFull;
    this.maxValueBytes =
        (int) Math.min(LogConfig.MAX_VALUE_BYTES, config.bufferBytes()) - FRAMING_BYTES;
    this.producer =
        new KafkaProducer<>(
            properties(bootstrapServers, config),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    try {
      this.partitions = awaitPartitions(timeout);
    } catch (RuntimeException e) {
      producer.close(Duration.ZERO);
      throw e;
    }
    // The producer fails values that are not acknowledged within the delivery timeout.
    pulse =
        Pulse.of(
            "log-writer-" + topic,
            config.deliveryTimeout().multipliedBy(2),
            () -> waiting.get() == 0);
  }

  private static Map<String, Object> properties(String bootstrapServers, LogConfig config) {
    int deliveryMillis = (int) config.deliveryTimeout().toMillis();
    Map<String, Object> p = new HashMap<>();
    p.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    p.put(ProducerConfig.ACKS_CONFIG, "all");
    p.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    p.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 0);
    p.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, deliveryMillis);
    p.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.min(REQUEST_MILLIS, deliveryMillis));
    // The callers have already waited for a batch to fill; lingering again would only add latency.
    p.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    p.put(ProducerConfig.BATCH_SIZE_CONFIG, SHARED_REQUEST_BYTES);
    p.put(ProducerConfig.BUFFER_MEMORY_CONFIG, config.bufferBytes());
    p.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, LogConfig.MAX_VALUE_BYTES);
    p.put(ProducerConfig.SEND_BUFFER_CONFIG, LogClients.SOCKET_BUFFER_BYTES);
    p.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, config.compression().label());
    p.put(ProducerConfig.METADATA_MAX_IDLE_CONFIG, NEVER_IDLE_MILLIS);
    // Otherwise the producer drops the topics of a log that is briefly unavailable, and rejects
    // values that could wait in its buffer.
    p.put(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG, "none");
    p.put(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    return p;
  }

  /**
   * With a blocking time of 0 the producer only sends a request, and a later call finds the
   * response.
   */
  private int awaitPartitions(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      try {
        return producer.partitionsFor(topic).size();
      } catch (TimeoutException e) {
        if (System.nanoTime() - deadline > 0) {
          throw new LogException(
              "topic " + topic + " not found within " + timeout.toMillis() + " ms", e);
        }
      }
      LockSupport.parkNanos(2_000_000);
    }
  }

  @Override
  public int partitions() {
    return partitions;
  }

  @Override
  public int maxValueBytes() {
    return maxValueBytes;
  }

  /** As {@link #offer(byte[], int, byte[], int, Completion)}, to any partition. */
  public boolean offer(byte[] key, byte[] value, int rows) {
    return offer(key, value, rows, null);
  }

  /** As {@link #offer(byte[], int, byte[], int, Completion)}, to any partition. */
  public boolean offer(byte[] key, byte[] value, int rows, Completion completion) {
    return offer(key, ANY_PARTITION, value, rows, completion);
  }

  /** As {@link #offer(byte[], int, byte[], int, Completion)}, without a key. */
  public boolean offer(int partition, byte[] value, int rows, Completion completion) {
    return offer(null, partition, value, rows, completion);
  }

  @Override
  public boolean offer(byte[] key, int partition, byte[] value, int rows, Completion completion) {
    offeredRows.add(rows);
    offeredValues.increment();
    Append append = new Append(Thread.currentThread(), rows, value.length, completion);
    if (isDiskFull.getAsBoolean()) {
      append.reject("the disk of the log was full");
      return false;
    }
    if (waiting.getAndIncrement() == 0) {
      pulse.beat();
    }
    try {
      var unused =
          producer.send(new ProducerRecord<>(topic, chosen(key, partition), key, value), append);
    } catch (IllegalStateException | KafkaException closed) {
      append.reject(closed.toString());
    }
    append.sending = false;
    if (append.rejected) {
      waiting.decrementAndGet();
    }
    return !append.rejected;
  }

  private Integer chosen(byte[] key, int partition) {
    if (partition != ANY_PARTITION) {
      return partition;
    }
    return key == null ? (int) (turn.getAndIncrement() % partitions) : null;
  }

  /**
   * A value in flight. The producer rejects it within {@code send}, or completes it later on its
   * own thread, which is also the caller's when a {@link Completion} offers another value.
   */
  private final class Append implements Callback {
    private final Thread caller;
    private final int rows;
    private final int bytes;
    private final Completion completion;
    private boolean rejected;

    /** Accessed by the caller's thread only. */
    private boolean sending = true;

    Append(Thread caller, int rows, int bytes, Completion completion) {
      this.caller = caller;
      this.rows = rows;
      this.bytes = bytes;
      this.completion = completion;
    }

    @Override
    public void onCompletion(RecordMetadata metadata, Exception failure) {
      if (Thread.currentThread() != caller || !sending) {
        waiting.decrementAndGet();
        pulse.beat();
      }
      if (failure == null) {
        acknowledgedRows.add(rows);
        acknowledgedValues.increment();
        acknowledgedBytes.add(bytes);
        if (completion != null) {
          completion.acknowledged(metadata.partition(), metadata.offset());
        }
      } else if (Thread.currentThread() == caller && sending) {
        reject(failure.toString());
      } else {
        failedRows.add(rows);
        failedValues.increment();
        lastFailure = failure.toString();
        if (completion != null) {
          completion.failed(failure);
        }
      }
    }

    void reject(String reason) {
      rejected = true;
      rejectedRows.add(rows);
      rejectedValues.increment();
      lastFailure = reason;
    }
  }

  /**
   * Outcomes of all values so far. Exact if no value is in flight or being offered; otherwise the
   * outcomes may be slightly older than the offers.
   */
  public Counts counts() {
    long rowsRejected = rejectedRows.sum();
    long rowsAcknowledged = acknowledgedRows.sum();
    long rowsFailed = failedRows.sum();
    long valuesRejected = rejectedValues.sum();
    long valuesAcknowledged = acknowledgedValues.sum();
    long valuesFailed = failedValues.sum();
    long bytesAcknowledged = acknowledgedBytes.sum();
    return new Counts(
        offeredRows.sum(),
        rowsRejected,
        rowsAcknowledged,
        rowsFailed,
        offeredValues.sum(),
        valuesRejected,
        valuesAcknowledged,
        valuesFailed,
        bytesAcknowledged);
  }

  /** Why the last value was rejected or failed; empty if none was. */
  public String lastFailure() {
    return lastFailure;
  }

  /** Waits until each value is acknowledged or failed: at most the delivery timeout. */
  public void flush() {
    producer.flush();
  }

  /** Flushes for at most {@code timeout}; values without acknowledgement then count as failed. */
  public void close(Duration timeout) {
    pulse.stop();
    producer.close(timeout);
  }

  /** As {@link #close(Duration)} with five seconds. */
  @Override
  public void close() {
    close(Duration.ofSeconds(5));
  }
}
