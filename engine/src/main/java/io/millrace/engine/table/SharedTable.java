package io.millrace.engine.table;

import io.millrace.pulse.Pulse;
import io.millrace.wire.sink.UnrecoverableException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only reader of a table's topic in this process, shared by all steps that use the table. A
 * thread repeatedly reads the topic to its end. A version takes effect {@link TableTopic#delay}
 * after its append time; half of the delay allows for clock differences. So versions are known
 * before they take effect, and callers wait only if the log is unavailable. The newest {@value
 * #MAX_VERSIONS} versions are kept; earlier times get the oldest of them. A version that cannot be
 * parsed is skipped and counted. Thread-safe.
 *
 * @param <T> type of the table, immutable
 */
final class SharedTable<T> {
  private static final Logger LOG = LoggerFactory.getLogger(SharedTable.class);
  private static final int MAX_VERSIONS = 1_000;
  private static final long RETRY_MILLIS = 500;
  private static final long MICROS = 1_000;

  private static final Map<TableTopic<?>, SharedTable<?>> OPEN = new HashMap<>();

  private final TableTopic<T> topic;
  private final Thread thread;

  /** By start of validity, in microseconds since the epoch; guarded by this. */
  private final NavigableMap<Long, T> versions = new TreeMap<>();

  private long knownUntil = Long.MIN_VALUE; // guarded by this
  private long next; // offset of the next version; guarded by this
  private long broken; // guarded by this
  private final CountDownLatch closed = new CountDownLatch(1);
  private int users; // guarded by OPEN

  private SharedTable(TableTopic<T> topic) {
    this.topic = topic;
    long looked = System.currentTimeMillis();
    TableVersions.readAll(topic.bootstrapServers(), topic.topic(), this::add);
    if (versions.isEmpty()) {
      throw new UnrecoverableException(
          "topic " + topic.topic() + " is empty: publish a version of the table");
    }
    know(looked);
    thread = Pulse.thread("millrace-table-" + topic.topic(), Duration.ZERO, pulse -> read());
    thread.start();
  }

  /**
   * Opens a table, and reads its topic to the end unless this process has it open already. The
   * thread ends when the last reader is closed.
   *
   * @throws UnrecoverableException if the topic has no valid version
   * @throws KafkaException if the topic cannot be read
   */
  @SuppressWarnings("unchecked") // each topic's parser returns its type of table
  static <T> TableReader<T> open(TableTopic<T> topic) {
    synchronized (OPEN) {
      SharedTable<T> table = (SharedTable<T>) OPEN.get(topic);
      if (table == null) {
        table = new SharedTable<>(topic);
        OPEN.put(topic, table);
      }
      table.users++;
      return table.new User();
    }
  }

  private synchronized void add(long offset, long appendMillis, byte[] value) {
    next = offset + 1;
    try {
      versions.put((appendMillis + topic.delay().toMillis()) * MICROS, topic.parser().parse(value));
      if (versions.size() > MAX_VERSIONS) {
        versions.pollFirstEntry();
      }
    } catch (IOException | RuntimeException e) {
      broken++;
      LOG.warn("table {}: invalid version skipped: {}", topic.topic(), e.getMessage());
    }
  }

  private synchronized void know(long lookedMillis) {
    knownUntil = Math.max(knownUntil, (lookedMillis + topic.delay().toMillis() / 2) * MICROS - 1);
    notifyAll();
  }

  private void read() {
    while (!isClosed()) {
      try (TableVersions reader =
          new TableVersions(topic.bootstrapServers(), topic.topic(), next())) {
        while (!isClosed()) {
          long looked = System.currentTimeMillis();
          reader.readToEnd(this::add);
          know(looked);
          reader.read(this::add);
        }
      } catch (KafkaException e) {
        if (!isClosed()) {
          LOG.warn("table {} cannot be read: {}", topic.topic(), e.getMessage());
          pause();
        }
      }
    }
  }

  private synchronized long next() {
    return next;
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private void pause() {
    try {
      var unused = closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The version for an event time in microseconds since 1970; waits until it is known. */
  private synchronized T at(long micros) throws InterruptedException {
    while (micros > knownUntil) {
      if (isClosed()) {
        throw new IllegalStateException("table " + topic.topic() + " is closed");
      }
      wait();
    }
    Map.Entry<Long, T> version = versions.floorEntry(micros);
    return (version == null ? versions.firstEntry() : version).getValue();
  }

  private synchronized long broken() {
    return broken;
  }

  private void leave() {
    synchronized (OPEN) {
      if (--users > 0) {
        return;
      }
      OPEN.remove(topic);
    }
    synchronized (this) {
      closed.countDown();
      notifyAll();
    }
    thread.interrupt();
  }

  private final class User implements TableReader<T> {
    private final AtomicBoolean isOpen = new AtomicBoolean(true);

    @Override
    public T at(long micros) throws InterruptedException {
      return SharedTable.this.at(micros);
    }

    @Override
    public long broken() {
      return SharedTable.this.broken();
    }

    @Override
    public void close() {
      if (isOpen.getAndSet(false)) {
        leave();
      }
    }
  }
}
