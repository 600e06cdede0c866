package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.HitterSettings.COUNTS;
import static io.millrace.analytics.hitters.HitterSettings.EPOCH;
import static io.millrace.analytics.hitters.HitterSettings.GROUP;
import static io.millrace.analytics.hitters.HitterSettings.GROUPS;
import static io.millrace.analytics.hitters.HitterSettings.KIND;
import static io.millrace.analytics.hitters.HitterSettings.PARTS;
import static io.millrace.analytics.hitters.HitterSettings.VARIANCE;
import static io.millrace.analytics.hitters.HitterSettings.WEIGHT;
import static io.millrace.analytics.hitters.HitterSettings.WORDS;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts keys by epoch and kind, and gives away what it has counted when event time has passed the
 * epoch.
 *
 * <p>The keys of an epoch and a kind are divided by their {@linkplain KeyGroups key group}, each
 * group with a table of its own. So state moves with the groups, whatever the number of subtasks,
 * and what is counted of a key is the same for any number of them: exact while the group's keys fit
 * into its part of the memory, and then with the bounds of a sketch.
 *
 * <p>The tables of all open epochs together take {@link #FULL_EPOCHS} times the memory of one at
 * most. Where rows are dated into more epochs than fit, those farthest ahead are forgotten, so that
 * a wrong clock takes nothing from the traffic of now.
 *
 * <p>Rows of epochs that are over are counted as {@code lateRows}; those of forgotten epochs, since
 * the last start, as {@code aheadRows}; those beyond all traffic as {@code refusedRows}; tables
 * that were no longer exact, when they were given away, as {@code sketches}. {@code memoryBytes}
 * are those of all tables.
 */
public final class HitterCounts implements KeyedAnalyzer<TableBlock, TableBlock> {
  private static final int VERSION = 1;
  private static final int BATCH = 64;
  private static final int BLOCK_BYTES = 1 << 20;

  /** Epochs that may be open with all the memory that an epoch has; of smaller ones more. */
  private static final int FULL_EPOCHS = 8;

  private final HitterSettings settings;
  private final RowKeys<TableBlock> byKey;
  private final List<HitterKind> kinds;

  /** By their begin. */
  private final TreeMap<Long, Epoch> epochs = new TreeMap<>();

  /** Of each kind the rows of each group that wait to be counted together; null where none did. */
  private final Batch[][] batches;

  private long seed;
  private int[] hashes = {};
  private AnalyzerContext context;
  private AnalyzerContext.Counter lateRows;
  private AnalyzerContext.Counter aheadRows;
  private AnalyzerContext.Counter refusedRows;
  private AnalyzerContext.Counter sketches;
  private AnalyzerContext.Counter forgotten;

  /** Bytes of the tables of all epochs, and how many they may take. */
  private final AtomicLong bytes = new AtomicLong();

  private long mostBytes;

  private static final class Batch {
    final KeyBlock keys;
    final long[] variances = new long[BATCH];

    Batch(HitterKind kind) {
      keys = new KeyBlock(kind.bytes(), BATCH);
    }
  }

  /** What is counted of an epoch. */
  private static final class Epoch {
    /** Of each kind the tables of its groups, null where none is. */
    final SampledCounts[][] tables;

    /** Of all of them. */
    long bytes;

    /** That were counted here since the last start. */
    long rows;

    Epoch(int kinds) {
      tables = new SampledCounts[kinds][GROUPS];
    }
  }

  /** An analyzer that is not opened. */
  public HitterCounts(HitterSettings settings) {
    this.settings = settings;
    byKey = settings.byKey();
    kinds = settings.counted();
    seed = settings.seed();
    batches = new Batch[kinds.size()][GROUPS];
  }

  @Override
  public void open(AnalyzerContext context) {
    this.context = context;
    lateRows = context.counter("lateRows");
    aheadRows = context.counter("aheadRows");
    refusedRows = context.counter("refusedRows");
    sketches = context.counter("sketches");
    forgotten = context.counter("forgottenTables");
    context.gauge("memoryBytes", bytes::get);
    mostBytes = FULL_EPOCHS * settings.epochMemory() / GROUPS * context.keyGroups().size();
  }

  @Override
  public void process(TableBlock rows, Emitter<TableBlock> out) {
    if (hashes.length < rows.rows()) {
      hashes = new int[rows.capacity()];
    }
    byKey.hashes(rows, hashes);
    long[] times = rows.longs(EPOCH);
    long[] kindOf = rows.longs(KIND);
    int from = 0;
    for (int row = 1; row <= rows.rows(); row++) {
      if (row == rows.rows() || times[row] != times[from] || kindOf[row] != kindOf[from]) {
        if (settings.isOver(times[from], context.eventTime())) {
          lateRows.add(row - from);
        } else {
          count(rows, from, row);
        }
        from = row;
      }
    }
    forgetAhead();
  }

  /** Forgets the epochs farthest ahead where all of them take too much. */
  private void forgetAhead() {
    while (bytes.get() > mostBytes && epochs.size() > FULL_EPOCHS) {
      Epoch last = epochs.pollLastEntry().getValue();
      aheadRows.add(last.rows);
      var unused = bytes.addAndGet(-last.bytes);
    }
  }

  /** Counts rows of one epoch and kind. */
  private void count(TableBlock rows, int from, int to) {
    int kind = (int) rows.longs(KIND)[from];
    Epoch epoch = epoch(rows.longs(EPOCH)[from]);
    epoch.rows += to - from;
    Batch[] waiting = batches[kind];
    int words = kinds.get(kind).words();
    for (int row = from; row < to; row++) {
      int group = KeyGroups.groupOf(hashes[row], GROUPS);
      Batch batch = waiting[group];
      if (batch == null) {
        batch = new Batch(kinds.get(kind));
        waiting[group] = batch;
      }
      int at = batch.keys.rows();
      for (int word = 0; word < words; word++) {
        batch.keys.word(word)[at] = rows.longs(WORDS + word)[row];
      }
      batch.keys.weights()[at] = rows.longs(WEIGHT)[row];
      batch.variances[at] = rows.longs(VARIANCE)[row];
      batch.keys.setRows(at + 1);
      if (at + 1 == BATCH) {
        flush(kind, group, epoch, batch);
      }
    }
    for (int group = 0; group < GROUPS; group++) {
      if (waiting[group] != null && waiting[group].keys.rows() > 0) {
        flush(kind, group, epoch, waiting[group]);
      }
    }
  }

  private void flush(int kind, int group, Epoch epoch, Batch batch) {
    SampledCounts table = epoch.tables[kind][group];
    long before = table == null ? 0 : table.bytes();
    if (table == null) {
      table = new SampledCounts(settings, kind, group, seed);
      epoch.tables[kind][group] = table;
    }
    if (!table.add(batch.keys, batch.variances)) {
      refusedRows.add(batch.keys.rows());
    }
    grow(epoch, table.bytes() - before);
    batch.keys.setRows(0);
  }

  private void grow(Epoch epoch, long more) {
    epoch.bytes += more;
    var unused = bytes.addAndGet(more);
  }

  private Epoch epoch(long begin) {
    return epochs.computeIfAbsent(begin, e -> new Epoch(kinds.size()));
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    while (!epochs.isEmpty() && settings.isOver(epochs.firstKey(), micros)) {
      Map.Entry<Long, Epoch> due = epochs.pollFirstEntry();
      for (int kind = 0; kind < kinds.size(); kind++) {
        give(due.getKey(), kind, due.getValue().tables[kind], out);
      }
      var unused = bytes.addAndGet(-due.getValue().bytes);
    }
  }

  private void give(long epoch, int kind, SampledCounts[] tables, Emitter<TableBlock> out) {
    TableBlock parts = new TableBlock(PARTS, 1);
    BlockBuffer bytes = new BlockBuffer(1 << 10);
    for (int group = 0; group < GROUPS; group++) {
      if (tables[group] == null) {
        continue;
      }
      sketches.add(tables[group].weights().isExact() ? 0 : 1);
      bytes.clear();
      tables[group].write(bytes);
      if (parts.rows() > 0
          && parts.texts(COUNTS).start(parts.rows()) + bytes.length() > BLOCK_BYTES) {
        out.emit(parts);
        parts = new TableBlock(PARTS, 1);
      }
      parts.reserve(1);
      int row = parts.rows();
      parts.longs(EPOCH)[row] = epoch;
      parts.longs(KIND)[row] = kind;
      parts.longs(GROUP)[row] = group;
      parts.texts(COUNTS).add(bytes.bytes(), 0, bytes.length());
      parts.rows(row + 1);
    }
    if (parts.rows() > 0) {
      out.emit(parts);
    }
  }

  @Override
  public StateSnapshot snapshot() {
    byte[][] groups = new byte[GROUPS][];
    BlockBuffer bytes = new BlockBuffer(1 << 10);
    for (int group = 0; group < GROUPS; group++) {
      bytes.clear();
      if (write(group, bytes) > 0) {
        groups[group] = bytes.toBytes();
      }
    }
    return new BytesSnapshot(groups);
  }

  /**
   * Appends the tables of a group; gives how many there are.
   *
   * <pre>
   *   version | { epoch + 1 byte in front | kind's identity | length | weights, variances } … | 0
   * </pre>
   */
  private int write(int group, BlockBuffer out) {
    int count = 0;
    out.putByte(VERSION);
    BlockBuffer table = new BlockBuffer(1 << 10);
    for (Map.Entry<Long, Epoch> epoch : epochs.entrySet()) {
      for (int kind = 0; kind < kinds.size(); kind++) {
        SampledCounts counts = epoch.getValue().tables[kind][group];
        if (counts != null) {
          count++;
          table.clear();
          counts.write(table);
          byte[] identity = settings.identity(kinds.get(kind)).getBytes(StandardCharsets.UTF_8);
          out.putByte(1);
          out.putLong(epoch.getKey());
          out.putInt(identity.length);
          out.put(identity, 0, identity.length);
          out.putInt(table.length());
          out.put(table.bytes(), 0, table.length());
        }
      }
    }
    out.putByte(0);
    return count;
  }

  @Override
  public void restore(int group, BlockInput in) {
    in.takeVersion(VERSION, "counts of hitters");
    List<String> identities = settings.countedIdentities();
    while (in.takeByte() != 0) {
      long epoch = in.takeLong();
      int length = in.takeInt();
      String identity = new String(in.bytes(), in.take(length), length, StandardCharsets.UTF_8);
      int bytes = in.takeInt();
      BlockInput table = new BlockInput(in.bytes(), in.take(bytes), bytes);
      int kind = identities.indexOf(identity);
      if (kind < 0) {
        forgotten.add(1);
        continue;
      }
      SampledCounts counts = new SampledCounts(settings, kind, group, seed);
      counts.read(table);
      Epoch to = epoch(epoch);
      SampledCounts there = to.tables[kind][group];
      if (there == null) {
        to.tables[kind][group] = counts;
        grow(to, counts.bytes());
      } else {
        grow(to, -there.bytes());
        there.merge(counts);
        grow(to, there.bytes());
      }
    }
    forgetAhead();
  }

  /** The seed of tables that are made from now on; part of the state where parts are merged. */
  long seed() {
    return seed;
  }

  void seed(long restored) {
    seed = restored;
  }

  /** Groups as they were written, each an array that nobody changes. */
  private static final class BytesSnapshot implements StateSnapshot {
    private final byte[][] groups;

    BytesSnapshot(byte[][] groups) {
      this.groups = groups;
    }

    @Override
    public boolean isEmpty(int group) {
      return groups[group] == null;
    }

    @Override
    public void write(int group, BlockBuffer out) {
      out.put(groups[group], 0, groups[group].length);
    }
  }
}
