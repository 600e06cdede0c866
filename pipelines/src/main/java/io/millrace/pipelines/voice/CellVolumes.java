package io.millrace.pipelines.voice;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.voice.VoiceRecords;
import io.millrace.analytics.voice.VoiceRules;
import io.millrace.engine.table.TableReader;
import io.millrace.wire.block.TableBlock;
import java.util.function.Supplier;

/**
 * Sums messages ({@link VoiceRecords#MESSAGES} with their positions) to volumes of controllers
 * ({@link VoiceRecords#VOLUMES}): one row per block, controller and step. Runs before the exchange,
 * since there are far fewer sums than messages.
 *
 * <p>A message belongs to the controller of its cell at the message's time; one from the future is
 * looked up in the current table.
 */
public final class CellVolumes implements Analyzer<TableBlock, TableBlock> {
  /** Counter: messages of cells that are not in the table. */
  public static final String UNKNOWN = "unknownCells";

  private static final long MICROS = 1_000;
  private static final int TIME = VoiceRecords.MESSAGES.indexOf("time");
  private static final int AREA = VoiceRecords.MESSAGES.indexOf("area");
  private static final int CELL = VoiceRecords.MESSAGES.indexOf("cell");
  private static final int BYTES = VoiceRecords.MESSAGES.indexOf("bytes");

  private final VoiceRules rules;
  private final Supplier<TableReader<CellTable>> opener;
  private AnalyzerContext.Counter unknown;
  private TableReader<CellTable> tables;

  /** Bytes and messages of a block, by index of the controller and step. */
  private final KeyTable sums = new KeyTable(KeyGroups.all(), 2, 2);

  /**
   * Creates an unopened analyzer.
   *
   * @param opener opens the table of cells
   */
  public CellVolumes(VoiceRules rules, Supplier<TableReader<CellTable>> opener) {
    this.rules = rules;
    this.opener = opener;
  }

  @Override
  public void open(AnalyzerContext context) {
    unknown = context.counter(UNKNOWN);
    tables = opener.get();
    context.gauge("brokenTables", tables::broken);
  }

  @Override
  public void process(TableBlock messages, Emitter<TableBlock> out) throws Exception {
    long[] times = messages.longs(TIME);
    long[] areas = messages.longs(AREA);
    long[] cells = messages.longs(CELL);
    long[] bytes = messages.longs(BYTES);
    int rows = messages.rows();
    long now = System.currentTimeMillis() * MICROS;
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (int row = 0; row < rows; row++) {
      min = Math.min(min, times[row]);
      max = Math.max(max, times[row]);
    }
    CellTable first = tables.at(Math.min(min, now));
    boolean isOne = first == tables.at(Math.min(max, now));
    long none = 0;
    for (int row = 0; row < rows; row++) {
      CellTable table = isOne ? first : tables.at(Math.min(times[row], now));
      int place = table.find(areas[row], cells[row]);
      if (place < 0) {
        none++;
        continue;
      }
      long controller = table.controller(place);
      long last = rules.lastOfStep(times[row]);
      int sum = sums.entry(Hash.of(controller) ^ (int) last, controller, last);
      sums.values(0)[sum] += bytes[row];
      sums.values(1)[sum]++;
    }
    unknown.add(none);
    emit(out);
  }

  private void emit(Emitter<TableBlock> out) {
    int rows = sums.size();
    if (rows == 0) {
      return;
    }
    TableBlock volumes = new TableBlock(VoiceRecords.VOLUMES, rows);
    for (int row = 0; row < rows; row++) {
      volumes.longs(0)[row] = sums.key(row, 1);
      volumes.longs(1)[row] = sums.key(row, 0);
      volumes.longs(2)[row] = sums.values(0)[row];
      volumes.longs(3)[row] = sums.values(1)[row];
    }
    volumes.rows(rows);
    for (int row = rows - 1; row >= 0; row--) {
      sums.remove(row);
    }
    out.emit(volumes);
  }

  @Override
  public void close() {
    if (tables != null) {
      tables.close();
    }
  }
}
