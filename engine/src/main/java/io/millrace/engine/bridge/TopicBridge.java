package io.millrace.engine.bridge;

import io.millrace.engine.log.LogAppender;
import io.millrace.engine.log.LogClients;
import io.millrace.engine.log.LogWriter;
import io.millrace.pulse.Pulse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the messages of external topics into the log, unchanged.
 *
 * <p>One thread reads, packs one batch per partition that has messages, appends the batches and
 * waits for the acknowledgements. So the batches of a source are in one partition of the log, in
 * order, and a batch is written only when all earlier ones are acknowledged. Offsets are committed
 * to the topics' Kafka about every second. Messages that a killed bridge wrote and did not commit
 * are written again; readers of the log drop these duplicates. A bridge that restarts with the same
 * member name continues at once (static group membership).
 *
 * <p>When a Kafka cluster is unreachable the bridge waits and reports it in {@link #failure};
 * unread messages stay in their topic. Started once, closed once; the counters are safe to read
 * from any thread.
 */
public final class TopicBridge implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TopicBridge.class);

  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration COMMIT_PATIENCE = Duration.ofSeconds(5);
  private static final long COMMIT_NANOS = 1_000_000_000L;
  private static final long RETRY_MILLIS = 500;
  private static final long NO_ROOM_MILLIS = 10;

  private static final int PARTITION_FETCH_BYTES = 512 << 10;
  private static final int POLL_MESSAGES = 20_000;
  private static final Duration LONGEST_WAIT_FOR_LOG = Duration.ofHours(1);

  private static final CloseOptions LEAVING =
      CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP);

  private final BridgeConfig config;
  private final String bootstrap;
  private final LogWriter log;
  private final Thread thread;
  private final AtomicLong messages = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong oversized = new AtomicLong();
  private final Map<TopicPartition, OffsetAndMetadata> toCommit = new HashMap<>();
  private String member;
  private long committedNanos;
  private volatile long lag = -1;
  private volatile String failure = "";
  private volatile boolean closing;
  private volatile Consumer<byte[], byte[]> consumer;

  /**
   * Creates a bridge that is not started.
   *
   * @param config topics to read
   * @param member static name of this reader in the group: the same after each restart, unique
   *     among running processes; if two have it, the first continues without a name
   * @param bootstrap servers of the topics' Kafka
   * @param log destination of the batches; not closed
   */
  public TopicBridge(BridgeConfig config, String member, String bootstrap, LogWriter log) {
    this.config = config;
    this.member = member;
    this.bootstrap = bootstrap;
    this.log = log;
    thread = Pulse.thread("millrace-bridge", Duration.ZERO, pulse -> run());
  }

  /** Starts reading. */
  public void start() {
    thread.start();
  }

  /** Messages acknowledged by the log since the start, including those read again. */
  public long messages() {
    return messages.get();
  }

  /** Bytes of the {@link #messages}. */
  public long bytes() {
    return bytes.get();
  }

  /** Messages dropped because they exceed the log's maximum value size. */
  public long oversized() {
    return oversized.get();
  }

  /** Messages in the topics that are not read yet; −1 if unknown. */
  public long lag() {
    return lag;
  }

  /** Why the bridge is not reading; empty if it is. */
  public String failure() {
    return failure;
  }

  private void run() {
    while (!closing) {
      try {
        Sources sources = Sources.of(bootstrap, config.properties(), config.topics());
        Consumer<byte[], byte[]> open = open();
        try {
          consumer = open;
          open.subscribe(config.topics());
          carry(open, sources);
          commit(open);
        } finally {
          open.close(LEAVING);
        }
      } catch (WakeupException | InterruptedException e) {
        break;
      } catch (FencedInstanceIdException e) {
        member = null;
        failed(e);
      } catch (RuntimeException e) {
        failed(e);
      } finally {
        consumer = null;
        toCommit.clear();
      }
    }
  }

  private void failed(RuntimeException e) {
    if (failure.isEmpty()) {
      LOG.warn("cannot read topics {}: {}", config.topics(), e.toString());
    }
    failure = String.valueOf(e.getMessage());
    try {
      Thread.sleep(RETRY_MILLIS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Consumer<byte[], byte[]> open() {
    Map<String, Object> p = new HashMap<>(LogClients.consumerProperties());
    p.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, PARTITION_FETCH_BYTES);
    p.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, POLL_MESSAGES);
    p.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    p.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, (int) LONGEST_WAIT_FOR_LOG.toMillis());
    p.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, config.start().name().toLowerCase(Locale.ROOT));
    p.put(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    if (member != null) {
      p.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, member);
    }
    p.putAll(config.properties());
    p.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    p.put(ConsumerConfig.GROUP_ID_CONFIG, config.group());
    p.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    return new KafkaConsumer<>(p, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private void carry(Consumer<byte[], byte[]> from, Sources sources) throws InterruptedException {
    committedNanos = System.nanoTime();
    while (!closing) {
      ConsumerRecords<byte[], byte[]> polled = from.poll(POLL);
      failure = "";
      Map<TopicPartition, Deque<MessageBatches.Batch>> waiting = pack(polled, sources);
      while (!waiting.isEmpty() && !closing) {
        give(waiting, sources);
      }
      lag = lag(from);
      if (System.nanoTime() - committedNanos > COMMIT_NANOS) {
        commit(from);
      }
    }
  }

  private Map<TopicPartition, Deque<MessageBatches.Batch>> pack(
      ConsumerRecords<byte[], byte[]> polled, Sources sources) {
    Map<TopicPartition, Deque<MessageBatches.Batch>> waiting = new HashMap<>();
    long now = System.currentTimeMillis() * 1_000;
    for (TopicPartition partition : polled.partitions()) {
      MessageBatches batches =
          new MessageBatches(
              sources.number(partition), config.format() == BridgeConfig.Format.FLOWPB_DELIMITED);
      for (ConsumerRecord<byte[], byte[]> message : polled.records(partition)) {
        if (!batches.add(message, now)) {
          oversized.incrementAndGet();
        }
      }
      Deque<MessageBatches.Batch> finished = batches.finish();
      if (!finished.isEmpty()) {
        waiting.put(partition, finished);
      }
    }
    return waiting;
  }

  private void give(Map<TopicPartition, Deque<MessageBatches.Batch>> waiting, Sources sources)
      throws InterruptedException {
    Map<TopicPartition, CompletableFuture<Boolean>> given = new HashMap<>();
    boolean noRoom = false;
    for (Map.Entry<TopicPartition, Deque<MessageBatches.Batch>> entry : waiting.entrySet()) {
      MessageBatches.Batch batch = entry.getValue().peek();
      CompletableFuture<Boolean> taken = new CompletableFuture<>();
      int partition = sources.logPartition(entry.getKey(), log.partitions());
      if (log.offer(partition, batch.value(), batch.messages(), completing(taken))) {
        given.put(entry.getKey(), taken);
      } else {
        noRoom = true;
      }
    }
    for (Map.Entry<TopicPartition, CompletableFuture<Boolean>> entry : given.entrySet()) {
      if (entry.getValue().join()) {
        taken(entry.getKey(), waiting.get(entry.getKey()).remove());
      } else {
        failure = "the log rejects batches: " + log.lastFailure();
      }
    }
    for (Iterator<Deque<MessageBatches.Batch>> i = waiting.values().iterator(); i.hasNext(); ) {
      if (i.next().isEmpty()) {
        i.remove();
      }
    }
    if (noRoom) {
      Thread.sleep(NO_ROOM_MILLIS);
    }
  }

  private static LogAppender.Completion completing(CompletableFuture<Boolean> taken) {
    return new LogAppender.Completion() {
      @Override
      public void acknowledged(int partition, long offset) {
        taken.complete(true);
      }

      @Override
      public void failed(Exception cause) {
        taken.complete(false);
      }
    };
  }

  private void taken(TopicPartition partition, MessageBatches.Batch batch) {
    messages.addAndGet(batch.messages());
    bytes.addAndGet(batch.value().length);
    toCommit.put(partition, new OffsetAndMetadata(batch.next()));
  }

  private static long lag(Consumer<byte[], byte[]> from) {
    long sum = 0;
    List<TopicPartition> assigned = new ArrayList<>(from.assignment());
    for (TopicPartition partition : assigned) {
      OptionalLong pending = from.currentLag(partition);
      sum += pending.orElse(0);
    }
    return assigned.isEmpty() ? -1 : sum;
  }

  private void commit(Consumer<byte[], byte[]> to) {
    committedNanos = System.nanoTime();
    if (toCommit.isEmpty()) {
      return;
    }
    try {
      to.commitSync(toCommit, COMMIT_PATIENCE);
    } catch (CommitFailedException | RebalanceInProgressException e) {
      LOG.debug("cannot commit offsets: {}", e.toString());
    } catch (WakeupException e) {
      throw e;
    } catch (KafkaException e) {
      failure = "cannot commit offsets: " + e.getMessage();
    }
    toCommit.clear();
  }

  /** Stops reading and waits until the log has acknowledged all messages read. */
  @Override
  public void close() throws InterruptedException {
    closing = true;
    thread.join(Duration.ofSeconds(10).toMillis());
    Consumer<byte[], byte[]> open = consumer;
    if (thread.isAlive() && open != null) {
      open.wakeup();
      thread.join();
    }
  }
}
