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
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts keys by epoch and kind, and gives away what it has counted when event time has passed the
 * epoch.
 *
 * <p>The keys of an epoch and a kind are divided by their {@linkplain KeyGroups key group}, each
 * group with a table of its own. So state moves with the groups, whatever the number of subtasks,
 * and what is counted of a key is the same for any number of them: exact while the group's keys fit
 * into its part of the memory, and then with the bounds of a sketch.
 *
 * <p>Rows of epochs that are over are counted as {@code lateRows}; those beyond all traffic as
 * {@code refusedRows}; tables that were no longer exact, when they were given away, as {@code
 * sketches}.
 */
public final class HitterCounts implements KeyedAnalyzer<TableBlock, TableBlock> {
  private static final int VERSION = 1;
  private static final int BATCH = 64;
  private static final int BLOCK_BYTES = 1 << 20;

  private final HitterSettings settings;
  private final RowKeys<TableBlock> byKey;

  /** By the begin of the epoch: of each kind the tables of its groups, null where none is. */
  private final TreeMap<Long, SampledCounts[][]> epochs = new TreeMap<>();

  /** Of each kind the rows of each group that wait to be counted together; null where none did. */
  private final Batch[][] batches;

  private long seed;
  private int[] hashes = {};
  private AnalyzerContext context;
  private AnalyzerContext.Counter lateRows;
  private AnalyzerContext.Counter refusedRows;
  private AnalyzerContext.Counter sketches;
  private AnalyzerContext.Counter forgotten;

  private static final class Batch {
    final KeyBlock keys;
    final long[] variances = new long[BATCH];

    Batch(HitterKind kind) {
      keys = new KeyBlock(kind.bytes(), BATCH);
    }
  }

  /** An analyzer that is not opened. */
  public HitterCounts(HitterSettings settings) {
    this.settings = settings;
    byKey = settings.byKey();
    seed = settings.seed();
    batches = new Batch[settings.kinds().size()][GROUPS];
  }

  @Override
  public void open(AnalyzerContext context) {
    this.context = context;
    lateRows = context.counter("lateRows");
    refusedRows = context.counter("refusedRows");
    sketches = context.counter("sketches");
    forgotten = context.counter("forgottenTables");
  }

  @Override
  public void process(TableBlock rows, Emitter<TableBlock> out) {
    if (hashes.length < rows.rows()) {
      hashes = new int[rows.capacity()];
    }
    byKey.hashes(rows, hashes);
    long[] times = rows.longs(EPOCH);
    long[] kinds = rows.longs(KIND);
    int from = 0;
    for (int row = 1; row <= rows.rows(); row++) {
      if (row == rows.rows() || times[row] != times[from] || kinds[row] != kinds[from]) {
        if (settings.isOver(times[from], context.eventTime())) {
          lateRows.add(row - from);
        } else {
          count(rows, from, row);
        }
        from = row;
      }
    }
  }

  /** Counts rows of one epoch and kind. */
  private void count(TableBlock rows, int from, int to) {
    int kind = (int) rows.longs(KIND)[from];
    SampledCounts[] tables = tables(rows.longs(EPOCH)[from])[kind];
    Batch[] waiting = batches[kind];
    int words = settings.kinds().get(kind).words();
    for (int row = from; row < to; row++) {
      int group = KeyGroups.groupOf(hashes[row], GROUPS);
      Batch batch = waiting[group];
      if (batch == null) {
        batch = new Batch(settings.kinds().get(kind));
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
        flush(kind, group, tables, batch);
      }
    }
    for (int group = 0; group < GROUPS; group++) {
      if (waiting[group] != null && waiting[group].keys.rows() > 0) {
        flush(kind, group, tables, waiting[group]);
      }
    }
  }

  private void flush(int kind, int group, SampledCounts[] tables, Batch batch) {
    if (tables[group] == null) {
      tables[group] = table(kind);
    }
    if (!tables[group].add(batch.keys, batch.variances)) {
      refusedRows.add(batch.keys.rows());
    }
    batch.keys.setRows(0);
  }

  private SampledCounts[][] tables(long epoch) {
    return epochs.computeIfAbsent(epoch, e -> new SampledCounts[settings.kinds().size()][GROUPS]);
  }

  private SampledCounts table(int kind) {
    return new SampledCounts(settings, settings.kinds().get(kind), seed);
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    Iterator<Map.Entry<Long, SampledCounts[][]>> due = epochs.entrySet().iterator();
    while (due.hasNext()) {
      Map.Entry<Long, SampledCounts[][]> epoch = due.next();
      if (!settings.isOver(epoch.getKey(), micros)) {
        return;
      }
      for (int kind = 0; kind < settings.kinds().size(); kind++) {
        give(epoch.getKey(), kind, epoch.getValue()[kind], out);
      }
      due.remove();
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
    for (Map.Entry<Long, SampledCounts[][]> epoch : epochs.entrySet()) {
      for (int kind = 0; kind < settings.kinds().size(); kind++) {
        SampledCounts counts = epoch.getValue()[kind][group];
        if (counts != null) {
          count++;
          table.clear();
          counts.write(table);
          byte[] identity =
              settings.identity(settings.kinds().get(kind)).getBytes(StandardCharsets.UTF_8);
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
    int version = in.takeByte();
    if (version != VERSION) {
      throw in.broken("counts of hitters of version " + version + ", this release reads 1");
    }
    List<String> identities = settings.kinds().stream().map(settings::identity).toList();
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
      SampledCounts counts = table(kind);
      counts.read(table);
      SampledCounts[] tables = tables(epoch)[kind];
      if (tables[group] == null) {
        tables[group] = counts;
      } else {
        tables[group].merge(counts);
      }
    }
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
