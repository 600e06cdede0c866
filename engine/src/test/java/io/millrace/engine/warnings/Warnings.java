package io.millrace.engine.warnings;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.EventRows;
import io.millrace.analytics.keyed.EventTimers;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.keyed.TwoInputAnalyzer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;

/**
 * Warns a subscriber who starts a video when the newest usage record of the last 15 minutes has at
 * least 90% of the quota used. At equal times, usage is processed before videos.
 */
class Warnings implements TwoInputAnalyzer<TableBlock, TableBlock, TableBlock> {
  static final TableSchema USAGE =
      TableSchema.builder().time("time").number("subscriber").number("used_percent").build();
  static final TableSchema VIDEOS = TableSchema.builder().time("time").number("subscriber").build();
  static final TableSchema WARNINGS =
      TableSchema.builder().time("time").number("subscriber").number("used_percent").build();

  /** Keys of both inputs. */
  static final RowKeys<TableBlock> BY_SUBSCRIBER =
      (block, hashes) -> {
        for (int row = 0; row < block.rows(); row++) {
          hashes[row] = Hash.of(block.longs(1)[row]);
        }
      };

  static final long WINDOW = 15 * 60_000_000L;
  private static final long THRESHOLD = 90;

  private AnalyzerContext context;
  private AnalyzerContext.Counter late;
  private EventRows waiting; // input, subscriber, percent
  private KeyTable newest; // subscriber → time and percent of the newest usage record
  private EventTimers ends; // expiry of usage records

  @Override
  public void open(AnalyzerContext opened) {
    context = opened;
    late = context.counter("late");
    waiting = new EventRows(context.keyGroups(), 3);
    newest = new KeyTable(context.keyGroups(), 1, 2);
    ends = new EventTimers(context.keyGroups());
  }

  @Override
  public void processFirst(TableBlock usage, Emitter<TableBlock> out) {
    for (int row = 0; row < usage.rows(); row++) {
      await(0, usage.longs(0)[row], usage.longs(1)[row], usage.longs(2)[row]);
    }
  }

  @Override
  public void processSecond(TableBlock videos, Emitter<TableBlock> out) throws Exception {
    for (int row = 0; row < videos.rows(); row++) {
      await(1, videos.longs(0)[row], videos.longs(1)[row], 0);
    }
  }

  private void await(int input, long micros, long subscriber, long percent) {
    if (micros <= context.currentWatermark()) {
      late.add(1);
    } else {
      waiting.add(micros, Hash.of(subscriber), input, subscriber, percent);
    }
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) throws Exception {
    TableBlock warnings = new TableBlock(WARNINGS, 16);
    waiting.fire(
        micros,
        (time, hash, row) -> {
          if (row[0] == 0) {
            int entry = newest.entry(hash, row[1]);
            newest.values(0)[entry] = time;
            newest.values(1)[entry] = row[2];
            ends.set(time + WINDOW, hash, row[1], 0);
          } else {
            warn(time, hash, row[1], warnings);
          }
        });
    ends.fire(
        micros,
        (end, hash, subscriber, none) -> {
          int entry = newest.find(hash, subscriber);
          if (entry >= 0 && newest.values(0)[entry] + WINDOW <= end) {
            newest.remove(entry);
          }
        });
    if (warnings.rows() > 0) {
      out.emit(warnings);
    }
  }

  private void warn(long time, int hash, long subscriber, TableBlock warnings) {
    int entry = newest.find(hash, subscriber);
    if (entry < 0
        || time >= newest.values(0)[entry] + WINDOW
        || newest.values(1)[entry] < THRESHOLD) {
      return;
    }
    warnings.reserve(1);
    int row = warnings.rows();
    warnings.longs(0)[row] = time;
    warnings.longs(1)[row] = subscriber;
    warnings.longs(2)[row] = newest.values(1)[entry];
    warnings.rows(row + 1);
  }

  @Override
  public StateSnapshot snapshot() {
    return StateSnapshot.of(waiting.snapshot(), newest.snapshot(), ends.snapshot());
  }

  @Override
  public void restore(int group, BlockInput in) {
    waiting.restore(in);
    newest.restore(in);
    ends.restore(in);
  }

  @Override
  public long incrementalFrom() {
    return 100L << 20;
  }
}
