package org.example.surge;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.keyed.KeyBytes;
import io.millrace.analytics.keyed.KeyColumns;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;

/** Compares each minute of a country with the mean of those before, which fades. */
final class SurgeFinder implements KeyedAnalyzer<TableBlock, TableBlock> {
  static final TableSchema SURGES =
      TableSchema.builder()
          .time("minute_end")
          .text("country")
          .number("packets")
          .number("usual")
          .build();
  private static final TableSchema COUNTS =
      TableSchema.builder().time("minute").text("country").number("packets").build();
  static final KeyColumns BY_COUNTRY = KeyColumns.of(COUNTS, "country");

  private static final long WEIGHT = 8; // of the mean, against 1 of the newest minute

  private final long windowMicros;
  private final long factor;
  private final KeyBytes key = new KeyBytes();
  private AnalyzerContext context;
  private AnalyzerContext.Counter late;
  private ByteKeyTable usual; // country → mean

  SurgeFinder(long windowMicros, long factor) {
    this.windowMicros = windowMicros;
    this.factor = factor;
  }

  @Override
  public void open(AnalyzerContext opened) {
    context = opened;
    late = context.counter("late");
    usual = new ByteKeyTable(context.keyGroups(), 1);
  }

  @Override
  public void process(TableBlock counts, Emitter<TableBlock> out) {
    TableBlock surges = new TableBlock(SURGES, 16);
    for (int row = 0; row < counts.rows(); row++) {
      long end = counts.longs(0)[row] + windowMicros;
      if (end <= context.currentWatermark()) {
        late.add(1); // late flows make a further row of a minute that was compared
        continue;
      }
      long packets = counts.longs(2)[row];
      int known = usual.size();
      int entry = usual.entry(BY_COUNTRY.read(counts, row, key));
      long mean = usual.size() > known ? packets : usual.values(0)[entry];
      usual.values(0)[entry] = (mean * WEIGHT + packets) / (WEIGHT + 1);
      if (packets >= factor * Math.max(1, mean)) {
        surges.reserve(1);
        int surge = surges.rows();
        surges.longs(0)[surge] = end;
        surges.texts(1).add(counts.texts(1), row);
        surges.longs(2)[surge] = packets;
        surges.longs(3)[surge] = mean;
        surges.rows(surge + 1);
      }
    }
    if (surges.rows() > 0) {
      out.emit(surges);
    }
  }

  @Override
  public StateSnapshot snapshot() {
    return usual.snapshot();
  }

  @Override
  public void restore(int group, BlockInput in) {
    usual.restore(in);
  }
}
