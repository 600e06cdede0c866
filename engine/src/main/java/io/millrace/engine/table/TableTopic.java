package io.millrace.engine.table;

import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogException;
import io.millrace.engine.log.LogTopics;
import java.io.IOException;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A small table in the log: each value of the topic is a whole version of it, and holds for records
 * of the time {@code append time + delay} and later, up to the next version. The broker sets the
 * append time, so from when on a version holds is decided once, by the log, for all subtasks and
 * all lives of a job. The first version holds for all time before it too. What is no table is
 * passed over, by every reader alike. A reader keeps the last thousand versions.
 *
 * @param bootstrapServers of the log
 * @param topic of one partition; {@link #ensure} makes it
 * @param delay between the append of a version and the moment from which on it holds: long enough
 *     for every reader to have it by then, clocks that differ included, by half of it at most
 * @param parser of a version
 * @param <T> the table, which many threads read at once
 */
public record TableTopic<T>(String bootstrapServers, String topic, Duration delay, Parser<T> parser)
    implements Serializable {
  /** Enough for clocks that NTP keeps. */
  public static final Duration DEFAULT_DELAY = Duration.ofSeconds(10);

  /** All versions have it, so that the log keeps the last one for ever. */
  private static final byte[] KEY = {'t', 'a', 'b', 'l', 'e'};

  /**
   * Makes a table of its bytes. Equal parsers give equal tables, and share one in a process.
   *
   * @param <T> the table
   */
  @FunctionalInterface
  public interface Parser<T> extends Serializable {
    /**
     * The table.
     *
     * @throws IOException if the bytes are none; says in one line where and why
     */
    T parse(byte[] version) throws IOException;
  }

  /** Makes the topic where it is missing. */
  public void ensure(LogTopics topics) {
    topics.ensureVersions(topic);
  }

  /** Reads the table, together with everybody else in this process who does; close it. */
  public TableReader<T> open() {
    return SharedTable.open(this);
  }

  /**
   * Puts a new version in place of the last one, unless it is the same. A broken one is refused,
   * and the last one stays.
   *
   * @return from when on the new version holds; that of the last one if it is the same
   * @throws IOException if the bytes are no table; says in one line where and why
   * @throws LogException if the log does not take them
   */
  public Instant publish(byte[] version) throws IOException {
    if (version.length > LogConfig.MAX_VALUE_BYTES / 2) {
      throw new IOException(
          "table "
              + topic
              + ": "
              + version.length
              + " bytes, "
              + LogConfig.MAX_VALUE_BYTES / 2
              + " are allowed");
    }
    parser.parse(version);
    byte[][] last = new byte[1][];
    long[] lastMillis = new long[1];
    TableVersions.readAll(
        bootstrapServers,
        topic,
        (offset, millis, value) -> {
          last[0] = value;
          lastMillis[0] = millis;
        });
    long millis = Arrays.equals(last[0], version) ? lastMillis[0] : append(version);
    return Instant.ofEpochMilli(millis).plus(delay);
  }

  /**
   * Puts a version into a table that has none yet.
   *
   * @throws LogException if the log does not take it
   */
  public void publishFirst(byte[] version) {
    boolean[] isThere = new boolean[1];
    TableVersions.readAll(bootstrapServers, topic, (offset, millis, value) -> isThere[0] = true);
    if (!isThere[0]) {
      var unused = append(version);
    }
  }

  private long append(byte[] version) {
    Map<String, Object> options =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrapServers,
            ProducerConfig.ACKS_CONFIG,
            "all",
            ProducerConfig.ENABLE_METRICS_PUSH_CONFIG,
            false,
            ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
            LogConfig.MAX_VALUE_BYTES);
    ByteArraySerializer bytes = new ByteArraySerializer();
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(options, bytes, bytes)) {
      RecordMetadata appended = producer.send(new ProducerRecord<>(topic, KEY, version)).get();
      return appended.timestamp();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LogException("interrupted while writing table " + topic, e);
    } catch (ExecutionException e) {
      throw new LogException("table " + topic + ": " + e.getCause().getMessage(), e);
    }
  }
}
