package io.millrace.engine.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.Output;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.engine.Checkpoints;
import io.millrace.engine.SharedLog;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogAppender;
import io.millrace.engine.log.LogWriter;
import io.millrace.engine.source.LogSource;
import io.millrace.testing.Await;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts by key are right at any parallelism, before and after a restart. */
@ExtendWith(SharedLog.class)
class KeyedStateIT {
  private static final TableSchema KEY = TableSchema.builder().number("key").build();
  private static final TableSchema COUNT =
      TableSchema.builder().number("key").number("count").build();
  private static final RowKeys<TableBlock> BY_KEY =
      (block, hashes) -> {
        for (int row = 0; row < block.rows(); row++) {
          hashes[row] = Hash.of(block.longs(0)[row]);
        }
      };
  private static final int KEYS = 500;
  private static final long POISON = -1;

  /** The greatest emitted count of each key, by topic. */
  private static final Map<String, Map<Long, Long>> COUNTS = new ConcurrentHashMap<>();

  /** Keys that were counted for the first time, by topic. */
  private static final Map<String, Set<Long>> FIRSTS = new ConcurrentHashMap<>();

  private static final Output<TableBlock> FIRST = Output.ofTable("first");
  private static final AtomicInteger POISONED = new AtomicInteger();

  @TempDir Path directory;

  private final Random random = new Random(7);
  private final Map<Long, Long> expected = new HashMap<>();
  private String topic;
  private LogWriter writer;
  private EmbeddedFlink flink;

  @BeforeEach
  void makeTopic() {
    topic = SharedLog.newTopic(3);
    COUNTS.put(topic, new ConcurrentHashMap<>());
    FIRSTS.put(topic, ConcurrentHashMap.newKeySet());
    writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG);
  }

  @AfterEach
  void close() {
    if (flink != null) {
      flink.close();
    }
    writer.close();
    COUNTS.remove(topic);
    FIRSTS.remove(topic);
  }

  /** Keys of eight bytes, one a datagram. */
  private static final class Parse implements Analyzer<RawBatch, TableBlock> {
    @Override
    public void process(RawBatch batch, Emitter<TableBlock> out) {
      TableBlock block = new TableBlock(KEY, batch.rows());
      int cursor = batch.first();
      for (int row = 0; row < batch.rows(); row++, cursor = batch.next(cursor)) {
        block.longs(0)[row] = ByteBuffer.wrap(batch.bytes()).getLong(batch.payload(cursor));
      }
      block.rows(batch.rows());
      out.emit(block);
    }
  }

  private static final class Count implements KeyedAnalyzer<TableBlock, TableBlock> {
    private final long incrementalFrom;
    private KeyGroups groups;
    private KeyTable counts;

    Count(long incrementalFrom) {
      this.incrementalFrom = incrementalFrom;
    }

    @Override
    public long incrementalFrom() {
      return incrementalFrom;
    }

    @Override
    public List<Output<?>> outputs() {
      return List.of(FIRST);
    }

    @Override
    public void open(AnalyzerContext context) {
      groups = context.keyGroups();
      counts = new KeyTable(groups, 1, 1);
    }

    @Override
    public void process(TableBlock block, Emitter<TableBlock> out) {
      TableBlock result = new TableBlock(COUNT, block.rows());
      for (int row = 0; row < block.rows(); row++) {
        long key = block.longs(0)[row];
        if (key == POISON && POISONED.decrementAndGet() >= 0) {
          throw new IllegalStateException("poisoned");
        }
        int hash = Hash.of(key);
        if (!groups.holds(hash)) {
          throw new AssertionError("key " + key + " came to " + groups);
        }
        int entry = counts.entry(hash, key);
        counts.values(0)[entry]++;
        result.longs(0)[row] = key;
        result.longs(1)[row] = counts.values(0)[entry];
      }
      result.rows(block.rows());
      int[] firsts =
          IntStream.range(0, result.rows()).filter(row -> result.longs(1)[row] == 1).toArray();
      if (firsts.length > 0) {
        out.emit(FIRST, block.select(firsts, firsts.length));
      }
      out.emit(result);
    }

    @Override
    public StateSnapshot snapshot() {
      return counts.snapshot();
    }

    @Override
    public void restore(int group, BlockInput in) {
      if (group < groups.first() || group > groups.last()) {
        throw new AssertionError("group " + group + " came to " + groups);
      }
      counts.restore(in);
    }
  }

  private static final class Keep implements Analyzer<TableBlock, TableBlock> {
    private final Map<Long, Long> counts;

    Keep(String topic) {
      counts = COUNTS.get(topic);
    }

    @Override
    public void process(TableBlock block, Emitter<TableBlock> out) {
      for (int row = 0; row < block.rows(); row++) {
        counts.merge(block.longs(0)[row], block.longs(1)[row], Math::max);
      }
    }
  }

  private EmbeddedJob start(int parallelism, Duration checkpoints, long incrementalFrom) {
    flink =
        new EmbeddedFlink(
            FlinkConfig.defaults().withSlots(parallelism).withCheckpointInterval(checkpoints),
            directory);
    flink.start();
    String name = topic;
    return flink.submit(
        "job",
        parallelism,
        job -> {
          DataStream<RawBatch> batches =
              LogSource.of(SharedLog.bootstrapServers(), name).addTo(job, "log", parallelism);
          DataStream<TableBlock> keys =
              Analyzers.analyze(
                  batches, "parse", BlockTypeInfo.TABLES, parallelism, subtask -> new Parse());
          SingleOutputStreamOperator<TableBlock> counts =
              Analyzers.analyzeKeyed(
                  keys,
                  BY_KEY,
                  "count",
                  BlockTypeInfo.TABLES,
                  parallelism,
                  subtask -> new Count(incrementalFrom));
          Analyzers.analyze(
              counts, "keep", BlockTypeInfo.TABLES, parallelism, subtask -> new Keep(name));
          Analyzers.analyze(
              Analyzers.output(counts, FIRST),
              "keep-firsts",
              BlockTypeInfo.TABLES,
              1,
              subtask ->
                  (block, out) -> {
                    for (int row = 0; row < block.rows(); row++) {
                      FIRSTS.get(name).add(block.longs(0)[row]);
                    }
                  });
        });
  }

  private void write(int batches) {
    write(batches, KEYS);
  }

  private void write(int batches, int keys) {
    for (int i = 0; i < batches; i++) {
      RawBatch.Writer batch = new RawBatch.Writer(100);
      for (int row = random.nextInt(20); row >= 0; row--) {
        add(batch, random.nextInt(keys));
      }
      send(batch);
    }
    writer.flush();
  }

  private void add(RawBatch.Writer batch, long key) {
    byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(key).array();
    batch.add(0, 0, 1, 2, bytes, 0, bytes.length);
    expected.merge(key, 1L, Long::sum);
  }

  private void send(RawBatch.Writer batch) {
    boolean taken =
        writer.offer(
            null,
            batch.toBytes(),
            batch.count(),
            new LogAppender.Completion() {
              @Override
              public void acknowledged(int partition, long offset) {}

              @Override
              public void failed(Exception cause) {}
            });
    assertThat(taken).isTrue();
  }

  private void awaitAll() throws Exception {
    Await.until("all counts", () -> COUNTS.get(topic).equals(expected));
    Await.until("all keys", () -> FIRSTS.get(topic).equals(expected.keySet()));
  }

  /**
   * Full snapshots, incremental ones from the first checkpoint on, and a change from one to the
   * other.
   */
  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, 0, 4_000})
  void everyKeyIsWhereItBelongsAtAnyParallelism(long incrementalFrom) throws Exception {
    int[] parallelisms =
        Boolean.getBoolean("millrace.long") ? new int[] {1, 2, 4, 1, 3} : new int[] {1, 3, 2};
    for (int parallelism : parallelisms) {
      EmbeddedJob job = start(parallelism, Duration.ofHours(24), incrementalFrom);
      for (int checkpoint = 0; checkpoint < 3; checkpoint++) {
        write(60);
        awaitAll();
        Checkpoints.take(job);
      }
      write(20); // after the checkpoint, so it is replayed
      awaitAll();
      flink.close();
      flink = null;
    }
    assertThat(expected).hasSizeGreaterThan(KEYS / 2);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, 0})
  void aFailureInTheMiddleLosesAndDoublesNothing(long incrementalFrom) throws Exception {
    EmbeddedJob job = start(2, Duration.ofMillis(100), incrementalFrom);
    for (int round = 1; round <= 3; round++) {
      write(100);
      POISONED.set(1);
      RawBatch.Writer batch = new RawBatch.Writer(100);
      add(batch, POISON);
      send(batch);
      write(100);
      awaitAll();
      assertThat(job.status().restarts()).isEqualTo(round);
    }
  }

  /** Enough state that its base is a file, in addition to the checkpoint directories. */
  @Test
  void filesOfCheckpointsAreThereForARestartAndNoLonger() throws Exception {
    EmbeddedJob job = start(2, Duration.ofHours(24), 0);
    write(3_000, 100_000);
    awaitAll();
    Set<Path> base = new HashSet<>();
    Await.until("checkpoints that build upon a base", () -> isBuiltUpon(job, base));
    flink.close();
    Path nobodys = Files.createFile(base.iterator().next().resolveSibling("nobody-s"));

    EmbeddedJob restarted = start(4, Duration.ofHours(24), 0);
    assertThat(nobodys).doesNotExist();
    write(20);
    awaitAll();
    for (int checkpoint = 0; checkpoint < 3; checkpoint++) {
      Checkpoints.take(restarted);
    }
    Await.until("the end of the old base", () -> sharedFiles().stream().noneMatch(base::contains));
    assertThat(sharedFiles()).isNotEmpty();
  }

  /**
   * Whether three checkpoints need these files, two of which are retained. A checkpoint that starts
   * before its tasks are notified of the last one may be a base.
   */
  private boolean isBuiltUpon(EmbeddedJob job, Set<Path> base) throws Exception {
    base.clear();
    base.addAll(sharedFiles());
    for (int checkpoint = 0; checkpoint < 3; checkpoint++) {
      write(5);
      awaitAll();
      Checkpoints.take(job);
    }
    return !base.isEmpty() && sharedFiles().containsAll(base);
  }

  /** Only by name, since Flink deletes other files meanwhile. */
  private Set<Path> sharedFiles() {
    Set<Path> found = new HashSet<>();
    try (Stream<Path> jobs = Files.list(directory)) {
      for (Path shared : jobs.map(job -> job.resolve("shared")).filter(Files::exists).toList()) {
        try (Stream<Path> files = Files.list(shared)) {
          files.forEach(found::add);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }
}
