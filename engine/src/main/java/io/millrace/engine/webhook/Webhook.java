package io.millrace.engine.webhook;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.millrace.engine.log.LogClients;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.pulse.Pulse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts the results of a topic ({@link ResultTopic}) to a URL, in order within a partition, as JSON
 * ({@link WebhookFormat}), beginning with results written after its first start. At least once: a
 * request without a response is repeated, also by the next process, with the same results and the
 * same {@code Idempotency-Key}, by which the receiver detects duplicates. The key is the identity
 * of a single result, or else derived from all identities.
 *
 * <p>Offsets are committed after each response. Before a request with several results, its end
 * offset is committed, so that a later process repeats the same request.
 *
 * <p>A response of 2xx means that the results were accepted. After 408, 425, 429, 5xx or a timeout
 * they are posted again, with exponential back-off, without limit; results wait in the topic
 * meanwhile, and nothing else is blocked. After any other response they are counted as rejected,
 * and skipped.
 *
 * <p>Started once, closed once; the counters are safe to read from any thread.
 */
public final class Webhook implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Webhook.class);
  private static final JsonFactory JSON = new JsonFactory();
  private static final Duration POLL = Duration.ofMillis(200);
  private static final long LONGEST_START_MILLIS = 10_000;
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final Set<Integer> NOT_YET = Set.of(408, 425, 429);

  private final WebhookConfig config;
  private final String bootstrap;
  private final HttpClient client;
  private final Thread thread;
  private final CountDownLatch assigned = new CountDownLatch(1);
  private final CountDownLatch closing = new CountDownLatch(1);

  /** End offset of a request that an earlier process may have sent, by partition. */
  private final Map<TopicPartition, Long> begun = new HashMap<>();

  private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> held = new HashMap<>();

  private final AtomicLong posted = new AtomicLong();
  private final AtomicLong rejected = new AtomicLong();
  private final AtomicLong failedRequests = new AtomicLong();
  private volatile String failure = "";
  private Instant started;

  /**
   * Creates a webhook that is not started.
   *
   * @param bootstrap servers of the topic's Kafka
   */
  public Webhook(WebhookConfig config, String bootstrap) {
    this.config = config;
    this.bootstrap = bootstrap;
    client = HttpClient.newBuilder().connectTimeout(config.timeout()).build();
    thread = Pulse.thread("millrace-webhook-" + config.name(), Duration.ZERO, pulse -> run());
  }

  /**
   * Starts posting. Returns when the start offsets are known, or after ten seconds if the topic's
   * Kafka does not respond; results written meanwhile are posted later.
   */
  public void start() {
    start(Instant.now());
  }

  void start(Instant moment) {
    started = moment;
    thread.start();
    await(assigned, LONGEST_START_MILLIS);
  }

  /** Configured name. */
  public String name() {
    return config.name();
  }

  /** Results accepted since the start. */
  public long posted() {
    return posted.get();
  }

  /** Results rejected by the receiver. */
  public long rejected() {
    return rejected.get();
  }

  /** Requests that failed and were repeated. */
  public long failedRequests() {
    return failedRequests.get();
  }

  /** Why nothing is posted now; empty if posting. */
  public String failure() {
    return failure;
  }

  private void run() {
    int inVain = 0;
    while (closing.getCount() > 0) {
      try (Consumer<byte[], byte[]> consumer = open()) {
        assign(consumer);
        assigned.countDown();
        inVain = 0;
        while (closing.getCount() > 0) {
          post(consumer, consumer.poll(POLL));
        }
      } catch (KafkaException e) {
        failed("topic " + config.topic() + ": " + e.getMessage());
        pause(inVain++);
      }
    }
  }

  private Consumer<byte[], byte[]> open() {
    Map<String, Object> p = new HashMap<>(LogClients.consumerProperties());
    p.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    p.put(ConsumerConfig.GROUP_ID_CONFIG, "millrace-webhook-" + config.name());
    p.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    p.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Math.max(config.batch(), 100));
    p.put(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    return new KafkaConsumer<>(p, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private void assign(Consumer<byte[], byte[]> consumer) {
    begun.clear();
    held.clear();
    Set<TopicPartition> partitions = new HashSet<>();
    consumer
        .partitionsFor(config.topic())
        .forEach(each -> partitions.add(new TopicPartition(config.topic(), each.partition())));
    consumer.assign(partitions);
    Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(partitions);
    for (TopicPartition partition : partitions) {
      OffsetAndMetadata last = committed.get(partition);
      if (last == null) {
        long first = firstOffset(consumer, partition);
        consumer.seek(partition, first);
        commit(consumer, partition, first, "");
      } else {
        consumer.seek(partition, last.offset());
        if (!last.metadata().isEmpty()) {
          begun.put(partition, Long.parseLong(last.metadata()));
        }
      }
    }
  }

  /**
   * Offset of the first result since the start of this webhook, which may precede the current end.
   */
  private long firstOffset(Consumer<byte[], byte[]> consumer, TopicPartition partition) {
    consumer.seekToEnd(List.of(partition));
    long end = consumer.position(partition);
    OffsetAndTimestamp since =
        consumer.offsetsForTimes(Map.of(partition, started.toEpochMilli())).get(partition);
    return since == null ? end : Math.min(end, since.offset());
  }

  private static void commit(
      Consumer<byte[], byte[]> consumer, TopicPartition partition, long offset, String metadata) {
    consumer.commitSync(Map.of(partition, new OffsetAndMetadata(offset, metadata)));
  }

  private void post(Consumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> polled) {
    for (TopicPartition partition : polled.partitions()) {
      List<ConsumerRecord<byte[], byte[]>> results = polled.records(partition);
      if (begun.containsKey(partition)) {
        held.computeIfAbsent(partition, none -> new ArrayList<>()).addAll(results);
      } else {
        postInBatches(consumer, partition, results);
      }
    }
    for (TopicPartition partition : Set.copyOf(begun.keySet())) {
      if (consumer.position(partition) >= begun.get(partition)) {
        finishBegun(consumer, partition);
      }
    }
  }

  private void finishBegun(Consumer<byte[], byte[]> consumer, TopicPartition partition) {
    long end = begun.remove(partition);
    List<ConsumerRecord<byte[], byte[]>> results =
        held.containsKey(partition) ? held.remove(partition) : List.of();
    int count = (int) results.stream().filter(result -> result.offset() < end).count();
    if (count > 0) {
      postBatch(consumer, partition, results.subList(0, count));
    }
    postInBatches(consumer, partition, results.subList(count, results.size()));
  }

  private void postInBatches(
      Consumer<byte[], byte[]> consumer,
      TopicPartition partition,
      List<ConsumerRecord<byte[], byte[]>> results) {
    for (int from = 0; from < results.size() && closing.getCount() > 0; from += config.batch()) {
      int to = Math.min(results.size(), from + config.batch());
      postBatch(consumer, partition, results.subList(from, to));
    }
  }

  private void postBatch(
      Consumer<byte[], byte[]> consumer,
      TopicPartition partition,
      List<ConsumerRecord<byte[], byte[]>> results) {
    long end = results.get(results.size() - 1).offset() + 1;
    if (results.size() > 1) {
      commit(consumer, partition, results.get(0).offset(), Long.toString(end));
    }
    AtomicLong count = post(request(results));
    if (count != null) {
      commit(consumer, partition, end, "");
      count.addAndGet(results.size());
    }
  }

  private HttpRequest request(List<ConsumerRecord<byte[], byte[]>> results) {
    byte[] body = config.format().body(results.stream().map(ConsumerRecord::value).toList());
    HttpRequest.Builder request =
        HttpRequest.newBuilder(config.url())
            .timeout(config.timeout())
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key(results))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    config.headers().forEach(request::header);
    return request.build();
  }

  /** 32 hexadecimal digits: the identity of a single result, or a hash of all identities. */
  private static String key(List<ConsumerRecord<byte[], byte[]>> results) {
    if (results.size() == 1) {
      return id(results.get(0));
    }
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      results.forEach(result -> digest.update(id(result).getBytes(StandardCharsets.UTF_8)));
      return HexFormat.of().formatHex(digest.digest(), 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Identity of a result; for other messages, their position in the topic. */
  private static String id(ConsumerRecord<byte[], byte[]> result) {
    try (JsonParser in = JSON.createParser(result.value())) {
      if (in.nextToken() == JsonToken.START_OBJECT
          && ResultTopic.ID.equals(in.nextFieldName())
          && in.nextToken() == JsonToken.VALUE_STRING) {
        return in.getText();
      }
    } catch (IOException e) {
      LOG.debug("message is not a result: {}", e.toString());
    }
    return result.topic() + "-" + result.partition() + "-" + result.offset();
  }

  /** Returns the counter of the outcome; null if the webhook is closed first. */
  private AtomicLong post(HttpRequest request) {
    for (int inVain = 0; closing.getCount() > 0; inVain++) {
      try {
        int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        if (status >= 200 && status < 300) {
          failure = "";
          return posted;
        }
        if (status < 500 && !NOT_YET.contains(status)) {
          failed(receiver() + " rejects results with status " + status);
          return rejected;
        }
        failed(receiver() + " responds " + status);
      } catch (IOException e) {
        failed(receiver() + " does not respond: " + e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return null;
      }
      failedRequests.incrementAndGet();
      pause(inVain);
    }
    return null;
  }

  private String receiver() {
    URI url = config.url();
    String port = url.getPort() < 0 ? "" : ":" + url.getPort();
    return url.getScheme() + "://" + url.getHost() + port;
  }

  /** Reports a failure, except during close, when it is caused by the interrupt. */
  private void failed(String why) {
    if (closing.getCount() == 0) {
      return;
    }
    if (failure.isEmpty()) {
      LOG.warn("webhook {}: {}", config.name(), why);
    }
    failure = why;
  }

  private void pause(int inVain) {
    long longest = config.longestPause().toMillis();
    long millis = Math.min(longest, FIRST_PAUSE_MILLIS << Math.min(inVain, 20));
    await(closing, millis);
  }

  private static void await(CountDownLatch latch, long millis) {
    try {
      var unused = latch.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Cancels a pending request; the next process repeats it. */
  @Override
  public void close() throws InterruptedException {
    closing.countDown();
    thread.interrupt();
    thread.join();
  }
}
