package io.millrace.lab.ads;

import io.millrace.engine.log.LogException;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceDataCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * A writer of many small values to a topic, for rates that exceed those of Kafka's producer, which
 * spends most of a microsecond on each. It appends values directly to Kafka's record batches, one
 * per partition, sends all batches in one request, and waits for the response.
 *
 * <p>It does not look up leaders: its broker must lead all partitions, as the embedded log does.
 * Nor does it resend values that the broker may have accepted. Not thread-safe.
 */
final class BatchWriter implements AutoCloseable {
  /** The last version of the request with names of topics. */
  private static final short VERSION = 12;

  private static final int TIMEOUT_MILLIS = 30_000;

  /** Of a broker that does not lead a new topic yet; it rejects all values. */
  private static final Set<Errors> BEGINNING =
      Set.of(Errors.NOT_LEADER_OR_FOLLOWER, Errors.UNKNOWN_TOPIC_OR_PARTITION);

  private static final long PAUSE_NANOS = 20_000_000;
  private static final int FIRST_BYTES = 1 << 20;
  private static final String CLIENT = "millrace-batches";

  private final String topic;
  private final SocketChannel broker;
  private final ByteBuffer[] buffers;
  private final MemoryRecordsBuilder[] batches; // null without values
  private int requests;

  /**
   * Connects to a broker.
   *
   * @param broker {@code HOST:PORT}
   */
  public BatchWriter(String broker, String topic, int partitions) throws IOException {
    this.topic = topic;
    int colon = broker.lastIndexOf(':');
    this.broker =
        SocketChannel.open(
            new InetSocketAddress(
                broker.substring(0, colon), Integer.parseInt(broker.substring(colon + 1))));
    this.broker.setOption(StandardSocketOptions.TCP_NODELAY, true);
    buffers = new ByteBuffer[partitions];
    batches = new MemoryRecordsBuilder[partitions];
  }

  /** Number of partitions. */
  public int partitions() {
    return batches.length;
  }

  /**
   * Adds a value to the next request.
   *
   * @param millis the value's time, milliseconds since the epoch
   */
  public void add(int partition, byte[] value, long millis) {
    if (batches[partition] == null) {
      ByteBuffer buffer =
          buffers[partition] == null ? ByteBuffer.allocate(FIRST_BYTES) : buffers[partition];
      buffers[partition] = buffer.clear();
      batches[partition] =
          MemoryRecords.builder(buffer, Compression.NONE, TimestampType.CREATE_TIME, 0);
    }
    batches[partition].append(millis, null, value);
  }

  /**
   * Sends the added values and returns once the log has acknowledged them. A partition's values
   * must not exceed a batch of the topic.
   *
   * @throws LogException if the log does not accept all of them
   */
  public void flush() throws IOException {
    List<PartitionProduceData> values = new ArrayList<>();
    for (int partition = 0; partition < batches.length; partition++) {
      if (batches[partition] != null) {
        values.add(
            new PartitionProduceData().setIndex(partition).setRecords(batches[partition].build()));
        batches[partition] = null;
      }
    }
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS);
    while (!values.isEmpty()) {
      Map<Integer, Errors> answers = send(values);
      values.removeIf(each -> answers.get(each.index()) == Errors.NONE);
      answers.values().removeIf(Errors.NONE::equals);
      if (!BEGINNING.containsAll(answers.values()) || System.nanoTime() > deadline) {
        throw new LogException(topic + ": the log has not accepted all values: " + answers, null);
      }
      LockSupport.parkNanos(values.isEmpty() ? 0 : PAUSE_NANOS);
    }
  }

  /** Returns the broker's response for each partition. */
  private Map<Integer, Errors> send(List<PartitionProduceData> values) throws IOException {
    TopicProduceDataCollection topics = new TopicProduceDataCollection();
    topics.add(new TopicProduceData().setName(topic).setPartitionData(values));
    ProduceRequest request =
        ProduceRequest.builder(
                new ProduceRequestData()
                    .setAcks((short) 1)
                    .setTimeoutMs(TIMEOUT_MILLIS)
                    .setTopicData(topics))
            .build(VERSION);
    RequestHeader header = new RequestHeader(ApiKeys.PRODUCE, VERSION, CLIENT, requests++);
    ByteBuffer body = request.serializeWithHeader(header);
    ByteBuffer length = ByteBuffer.allocate(Integer.BYTES).putInt(0, body.remaining());
    ByteBuffer[] message = {length, body};
    while (body.hasRemaining()) {
      broker.write(message);
    }
    ByteBuffer answer = read(read(Integer.BYTES).getInt());
    Map<Integer, Errors> answers = new HashMap<>();
    ((ProduceResponse) AbstractResponse.parseResponse(answer, header))
        .data()
        .responses()
        .forEach(
            each ->
                each.partitionResponses()
                    .forEach(
                        partition ->
                            answers.put(partition.index(), Errors.forCode(partition.errorCode()))));
    return answers;
  }

  private ByteBuffer read(int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (broker.read(bytes) < 0) {
        throw new EOFException("the broker has closed the connection");
      }
    }
    return bytes.flip();
  }

  /** Closes the connection; values that were not sent are lost. */
  @Override
  public void close() throws IOException {
    broker.close();
  }
}
