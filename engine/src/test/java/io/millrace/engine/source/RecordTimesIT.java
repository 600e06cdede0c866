package io.millrace.engine.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.keyed.EventTimers;
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
import io.millrace.engine.log.LogWriter;
import io.millrace.engine.operator.Analyzers;
import io.millrace.testing.Await;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Event time is that of the records, also with idle partitions and after failures. */
@ExtendWith(SharedLog.class)
class RecordTimesIT {
  private static final TableSchema RECORDS =
      TableSchema.builder().time("time").number("key").build();
  private static final TableSchema COUNTS =
      TableSchema.builder().time("window_start").number("key").number("records").build();
  private static final RowKeys<TableBlock> BY_KEY =
      (block, hashes) -> {
        for (int row = 0; row < block.rows(); row++) {
          hashes[row] = Hash.of(block.longs(1)[row]);
        }
      };
  private static final Output<TableBlock> LATE = Output.ofTable("late");

  private static final long START = 1_800_000_000_000_000L;
  private static final long SECOND = 1_000_000;
  private static final int KEYS = 5;
  private static final long POISON = -1;
  private static final int PARALLELISM = 2;

  /**
   * Longer than the pauses of the test between two writes: otherwise the first active partition
   * would overtake others.
   */
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(4);

  /** Window and key → each emitted count; the job runs in this process. */
  private static final Map<String, Set<String>> RESULTS = new ConcurrentSkipListMap<>();

  private static final Set<String> LATES = ConcurrentHashMap.newKeySet();
  private static final AtomicInteger POISONED = new AtomicInteger();

  @TempDir Path directory;

  private final Map<String, Integer> expected = new TreeMap<>();
  private EmbeddedFlink flink;
  private EmbeddedJob job;
  private LogWriter writer;

  @BeforeEach
  void start() {
    RESULTS.clear();
    LATES.clear();
    String topic = SharedLog.newTopic(3);
    writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG);
    flink =
        new EmbeddedFlink(
            FlinkConfig.defaults()
                .withSlots(PARALLELISM)
                .withCheckpointInterval(Duration.ofHours(24)),
            directory);
    flink.start();
    job = flink.submit("windows", PARALLELISM, steps -> build(steps, topic));
  }

  @AfterEach
  void close() {
    flink.close();
    writer.close();
  }

  private static void build(StreamExecutionEnvironment steps, String topic) {
    LogSource log =
        LogSource.of(SharedLog.bootstrapServers(), topic)
            .withRecordTimes(
                value -> time(value, value.first()), Duration.ofSeconds(1), IDLE_TIMEOUT);
    DataStream<TableBlock> records =
        Analyzers.analyze(
            log.addTo(steps, "log", PARALLELISM),
            "parse",
            BlockTypeInfo.TABLES,
            PARALLELISM,
            subtask -> new Parse());
    SingleOutputStreamOperator<TableBlock> counts =
        Analyzers.analyzeKeyed(
            records,
            BY_KEY,
            "count",
            BlockTypeInfo.TABLES,
            PARALLELISM,
            subtask -> new CountBySecond());
    keep(counts, "keep", (key, count) -> results(key).add(count));
    keep(Analyzers.output(counts, LATE), "keep-late", (time, key) -> LATES.add(time + " " + key));
  }

  private static Set<String> results(String windowAndKey) {
    return RESULTS.computeIfAbsent(windowAndKey, none -> ConcurrentHashMap.newKeySet());
  }

  private interface Keeper extends Serializable {
    void keep(String front, String last);
  }

  /** Keeps rows as text: all columns but the last, mapped to the last. */
  private static void keep(DataStream<TableBlock> rows, String uid, Keeper keeper) {
    Analyzers.analyze(
        rows,
        uid,
        BlockTypeInfo.TABLES,
        1,
        subtask ->
            (block, out) -> {
              int last = block.schema().size() - 1;
              for (int row = 0; row < block.rows(); row++) {
                StringBuilder front = new StringBuilder();
                for (int column = 0; column < last; column++) {
                  front.append(column == 0 ? "" : " ").append(block.text(row, column));
                }
                keeper.keep(front.toString(), block.text(row, last));
              }
            });
  }

  private static long time(RawBatch value, int cursor) {
    return ByteBuffer.wrap(value.bytes()).getLong(value.payload(cursor));
  }

  /** Time and key of eight bytes each, one record per value. */
  private static final class Parse implements Analyzer<RawBatch, TableBlock> {
    @Override
    public void process(RawBatch value, Emitter<TableBlock> out) {
      TableBlock block = new TableBlock(RECORDS, 1);
      int payload = value.payload(value.first());
      block.longs(0)[0] = time(value, value.first());
      block.longs(1)[0] = ByteBuffer.wrap(value.bytes()).getLong(payload + Long.BYTES);
      block.rows(1);
      out.emit(block);
    }
  }

  /** Counts records by key and second. Late ones go to a side output. */
  private static final class CountBySecond implements KeyedAnalyzer<TableBlock, TableBlock> {
    private AnalyzerContext context;
    private KeyTable counts;
    private EventTimers ends;

    @Override
    public List<Output<?>> outputs() {
      return List.of(LATE);
    }

    @Override
    public void open(AnalyzerContext opened) {
      context = opened;
      counts = new KeyTable(context.keyGroups(), 2, 1);
      ends = new EventTimers(context.keyGroups());
    }

    @Override
    public void process(TableBlock block, Emitter<TableBlock> out) {
      for (int row = 0; row < block.rows(); row++) {
        long key = block.longs(1)[row];
        long window = block.longs(0)[row] / SECOND * SECOND;
        if (key == POISON) {
          if (POISONED.decrementAndGet() >= 0) {
            throw new IllegalStateException("poisoned");
          }
        } else if (window + SECOND - 1 <= context.currentWatermark()) {
          out.emit(LATE, block.select(new int[] {row}, 1));
        } else {
          int hash = Hash.of(key);
          int known = counts.size();
          int entry = counts.entry(hash, key, window);
          counts.values(0)[entry]++;
          if (counts.size() > known) {
            ends.set(window + SECOND - 1, hash, key, window);
          }
        }
      }
    }

    @Override
    public void watermark(long micros, Emitter<TableBlock> out) throws Exception {
      ends.fire(
          micros,
          (moment, hash, key, window) -> {
            int entry = counts.find(hash, key, window);
            TableBlock row = new TableBlock(COUNTS, 1);
            row.longs(0)[0] = window;
            row.longs(1)[0] = key;
            row.longs(2)[0] = counts.values(0)[entry];
            row.rows(1);
            counts.remove(entry);
            out.emit(row);
          });
    }

    @Override
    public StateSnapshot snapshot() {
      return StateSnapshot.of(counts.snapshot(), ends.snapshot());
    }

    @Override
    public void restore(int group, BlockInput in) {
      counts.restore(in);
      ends.restore(in);
    }
  }

  private void write(int partition, long micros, long key) {
    RawBatch.Writer batch = new RawBatch.Writer(1);
    byte[] bytes = ByteBuffer.allocate(2 * Long.BYTES).putLong(micros).putLong(key).array();
    batch.add(0, 0, 1, 2, bytes, 0, bytes.length);
    assertThat(writer.offer(partition, batch.toBytes(), 1, null)).isTrue();
  }

  /** Records of some seconds, ten each, in the first two partitions. */
  private void writeSeconds(int from, int until) {
    for (int i = from * 10; i < until * 10; i++) {
      long micros = START + i * SECOND / 10;
      write(i % 2, micros, i % KEYS);
      expected.merge(micros / SECOND * SECOND + " " + i % KEYS, 1, Integer::sum);
    }
    writer.flush();
  }

  /** Waits for all windows that end by then, each with one count. */
  private void awaitWindows(int seconds) throws Exception {
    Map<String, Set<String>> due = new TreeMap<>();
    expected.forEach(
        (key, count) -> {
          if (Long.parseLong(key.substring(0, key.indexOf(' '))) < START + seconds * SECOND) {
            due.put(key, Set.of(Integer.toString(count)));
          }
        });
    Await.until(
        "windows of " + seconds + " seconds", () -> RESULTS.keySet().containsAll(due.keySet()));
    assertThat(RESULTS).containsAllEntriesOf(due);
  }

  /**
   * The third partition is idle. A record that was late before a failure is read first after it,
   * before any watermark, and must be late again.
   */
  @Test
  void idlePartitionsBlockNothingAndLateRecordsStayLate() throws Exception {
    writeSeconds(0, 10);
    awaitWindows(8);
    Checkpoints.take(job);

    String late = START + SECOND / 2 + " 1";
    write(0, START + SECOND / 2, 1);
    Await.until("a late record", () -> LATES.contains(late));
    LATES.clear();
    POISONED.set(1);
    write(0, START + 9 * SECOND, POISON);
    Await.until("the late record again", () -> LATES.contains(late));
    assertThat(job.status().restarts()).isEqualTo(1);

    writeSeconds(10, 20);
    awaitWindows(18);
    String spoken = START + 3 * SECOND + " 2";
    write(2, START + 3 * SECOND, 2);
    Await.until("the silent partition's record", () -> LATES.contains(spoken));
    writeSeconds(20, 30);
    awaitWindows(28);
    assertThat(LATES).containsExactlyInAnyOrder(late, spoken);
    assertThat(RESULTS.values()).allSatisfy(counts -> assertThat(counts).hasSize(1));
  }
}
