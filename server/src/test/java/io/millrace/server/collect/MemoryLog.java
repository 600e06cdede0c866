package io.millrace.server.collect;

import io.millrace.engine.log.LogAppender;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.export.DatagramHead;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/** An in-memory log of three partitions with controllable outcomes. Thread-safe. */
final class MemoryLog implements LogAppender, Tail {
  static final int PARTITIONS = 3;

  /** How it treats a batch. */
  enum Mood {
    TAKES,
    REJECTS,
    FAILS,
    /** Stores the batch, and confirms it only on request. */
    KEEPS_SILENT,
    /** Drops the batch without a response, as if the process was killed. */
    FORGETS
  }

  private final List<RawBatch> batches = new ArrayList<>();
  private final Queue<Runnable> unsaid = new ArrayDeque<>();
  private final long[] next = new long[PARTITIONS];
  private Mood mood = Mood.TAKES;
  private int turn;

  synchronized void feel(Mood mood) {
    this.mood = mood;
  }

  synchronized void speak() {
    for (Runnable word = unsaid.poll(); word != null; word = unsaid.poll()) {
      word.run();
    }
  }

  @Override
  public synchronized boolean offer(
      byte[] key, int wanted, byte[] value, int datagrams, Completion completion) {
    if (mood == Mood.REJECTS) {
      return false;
    }
    if (mood == Mood.FAILS) {
      completion.failed(new IOException("as told"));
      return true;
    }
    if (mood == Mood.FORGETS) {
      return true;
    }
    int partition = wanted == ANY_PARTITION ? turn++ % PARTITIONS : wanted;
    long offset = next[partition]++;
    batches.add(RawBatch.wrap(value, partition, offset));
    if (mood == Mood.KEEPS_SILENT) {
      unsaid.add(() -> completion.acknowledged(partition, offset));
    } else {
      speak(); // a partition's batches are confirmed in order
      completion.acknowledged(partition, offset);
    }
    return true;
  }

  @Override
  public int partitions() {
    return PARTITIONS;
  }

  @Override
  public int maxValueBytes() {
    return Integer.MAX_VALUE;
  }

  @Override
  public synchronized void read(Frontier from, Consumer<RawBatch> to) {
    batches.stream()
        .filter(batch -> !from.covers(batch.partition(), batch.offset()))
        .sorted(Comparator.comparingLong(batch -> batch.time(batch.first())))
        .forEach(to);
  }

  @Override
  public synchronized Frontier within(Frontier saved) {
    Map<Integer, Long> there = new HashMap<>(saved.next());
    there.replaceAll((partition, offset) -> Math.min(offset, next[partition]));
    return new Frontier(there);
  }

  synchronized List<RawBatch> batches() {
    return List.copyOf(batches);
  }

  synchronized long datagrams() {
    return batches.stream().mapToLong(RawBatch::rows).sum();
  }

  /** Counters of a job that has stored all sFlow datagrams and rejected the others. */
  synchronized JobCounts.Snapshot stored(Map<ExporterKey, Long> loggedByExporter) {
    Map<ExporterKey, JobCounts.Count> counts = new HashMap<>();
    loggedByExporter.forEach(
        (key, logged) ->
            counts.put(
                key,
                key.hasAgent()
                    ? new JobCounts.Count(logged, 0, logged, Map.of())
                    : new JobCounts.Count(0, logged, 0, Map.of())));
    Map<Integer, Long> covered = new HashMap<>();
    for (int i = 0; i < PARTITIONS; i++) {
      covered.put(i, next[i]);
    }
    return new JobCounts.Snapshot(counts, new Frontier(covered), 0);
  }

  /** Counts the datagrams of the log by exporter, independently of the collector. */
  synchronized JobCounts.Snapshot stored() {
    Map<ExporterKey, Long> logged = new HashMap<>();
    DatagramHead head = new DatagramHead();
    for (RawBatch batch : batches) {
      byte[] bytes = batch.bytes();
      int cursor = batch.first();
      for (int i = 0; i < batch.rows(); i++, cursor = batch.next(cursor)) {
        head.read(bytes, batch.payload(cursor), batch.payloadLength(cursor));
        ExporterKey key =
            new ExporterKey(
                batch.senderHigh(cursor),
                batch.senderLow(cursor),
                head.agentHigh(),
                head.agentLow(),
                head.channel(batch.senderPort(cursor)));
        logged.merge(key, 1L, Long::sum);
      }
    }
    return stored(logged);
  }
}
