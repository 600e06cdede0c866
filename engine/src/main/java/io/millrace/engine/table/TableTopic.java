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
 * A small table in the log: each value of the topic is a complete version, and applies to records
 * of the time {@code append time + delay} and later, up to the next version. The broker sets the
 * append time, so the start of validity is the same for all subtasks and restarts of a job. The
 * first version also applies to all earlier times. Invalid versions are skipped by every reader. A
 * reader keeps the last thousand versions.
 *
 * @param bootstrapServers of the log
 * @param topic of one partition; {@link #ensure} creates it
 * @param delay between the append of a version and the start of its validity: must allow every
 *     reader to receive the version in time, with clock differences of up to half the delay
 * @param parser of a version
 * @param <T> the table, which many threads read concurrently
 */
public record TableTopic<T>(String bootstrapServers, String topic, Duration delay, Parser<T> parser)
    implements Serializable {
  /** Enough for clocks synchronised by NTP. */
  public static final Duration DEFAULT_DELAY = Duration.ofSeconds(10);

  /** One key for all versions, so that compaction keeps the last one. */
  private static final byte[] KEY = {'t', 'a', 'b', 'l', 'e'};

  /**
   * Parser of a version. Equal parsers share one parsed table in a process.
   *
   * @param <T> the table
   */
  @FunctionalInterface
  public interface Parser<T> extends Serializable {
    /** Parses a version. */
    T parse(byte[] version) throws IOException;
  }

  /** Creates the topic if it is missing. */
  public void ensure(LogTopics topics) {
    topics.ensureVersions(topic);
  }

  /** Opens a reader, which the caller closes; all readers in this process share one table. */
  public TableReader<T> open() {
    return SharedTable.open(this);
  }

  /**
   * Publishes a new version, unless it equals the last one. An invalid one is rejected, and the
   * last one stays in effect.
   *
   * @return start of validity of the new version, or of the last one if it is equal
   * @throws IOException if the bytes cannot be parsed; names the line and the reason in one line
   * @throws LogException if the log does not acknowledge it
   */
  public Instant publish(byte[] version) throws IOException {
    if (version.length > LogConfig.MAX_VALUE_BYTES / 2) {
      throw new IOException(
          "table "
              + topic
              + ": "
              + version.length
              + " bytes exceed the maximum of "
              + LogConfig.MAX_VALUE_BYTES / 2
              + "; publish a smaller table");
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
   * Publishes the first version of a table; does nothing if it has one.
   *
   * @throws LogException if the log does not acknowledge it
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
