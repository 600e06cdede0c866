package io.millrace.analytics.app;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts subscribers per application and minute. Converts {@link AppRows#USAGE}, keyed {@link
 * #BY_SUBSCRIBER}, to additive rows of {@link AppRows#APPS} with only this number.
 *
 * <p>State: subscriber, application and minute of the last ten minutes, with texts as 64-bit
 * hashes. Older usage is counted as late and dropped. At most {@value #MAX} entries; the oldest
 * minutes are evicted first.
 */
public final class SubscriberCounts implements KeyedAnalyzer<TableBlock, TableBlock> {
  private static final int TIME = AppRows.USAGE.indexOf("span_end");
  private static final int APP = AppRows.USAGE.indexOf("app");
  private static final int SUBSCRIBER = AppRows.USAGE.indexOf("subscriber");

  /** Key by subscriber. */
  public static final RowKeys<TableBlock> BY_SUBSCRIBER =
      (usage, hashes) -> {
        for (int row = 0; row < usage.rows(); row++) {
          hashes[row] = (int) hash(usage.texts(SUBSCRIBER), row);
        }
      };

  /** Counter: late usage, not counted. */
  public static final String LATE = "lateUses";

  private static final int VERSION = 1;
  private static final long KEPT_MINUTES = 10;
  private static final int MAX = 1 << 22;
  private static final int MINUTE_PART = 2;

  private KeyTable seen;
  private AnalyzerContext.Counter late;
  private long firstMinute;

  private record Key(long minute, String app) {}

  /** An unopened analyzer. */
  public SubscriberCounts() {}

  private static long hash(Texts texts, int row) {
    int start = texts.start(row);
    int length = texts.length(row);
    long upper = Hash.ofWords(texts.bytes(), start, length);
    return (upper << 32) | (Hash.of(texts.bytes(), start, length) & 0xFFFF_FFFFL);
  }

  @Override
  public void open(AnalyzerContext context) {
    late = context.counter(LATE);
    seen = new KeyTable(context.keyGroups(), 3, 0);
    firstMinute = Math.floorDiv(context.currentWatermark(), AppRows.MINUTE) - KEPT_MINUTES;
  }

  @Override
  public void process(TableBlock usage, Emitter<TableBlock> out) {
    Map<Key, Integer> fresh = new LinkedHashMap<>();
    for (int row = 0; row < usage.rows(); row++) {
      if (usage.texts(SUBSCRIBER).length(row) == 0) {
        continue;
      }
      // The time is the end of the usage; a time on a boundary belongs to the minute before it.
      long minute = Math.floorDiv(usage.longs(TIME)[row] - 1, AppRows.MINUTE);
      if (minute < firstMinute) {
        late.add(1);
        continue;
      }
      long subscriber = hash(usage.texts(SUBSCRIBER), row);
      int before = seen.size();
      var unused = seen.entry((int) subscriber, subscriber, hash(usage.texts(APP), row), minute);
      if (seen.size() > before) {
        fresh.merge(new Key(minute, usage.texts(APP).get(row)), 1, Integer::sum);
        if (seen.size() == MAX) {
          keepFrom(oldestMinute() + 1);
        }
      }
    }
    if (!fresh.isEmpty()) {
      out.emit(rows(fresh));
    }
  }

  /** Uses event time, which is the same for all subtasks, rather than the newest usage. */
  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    keepFrom(Math.floorDiv(micros, AppRows.MINUTE) - KEPT_MINUTES);
  }

  private long oldestMinute() {
    long oldest = Long.MAX_VALUE;
    for (int entry = 0; entry < seen.size(); entry++) {
      oldest = Math.min(oldest, seen.key(entry, MINUTE_PART));
    }
    return oldest;
  }

  private void keepFrom(long minute) {
    if (minute <= firstMinute) {
      return;
    }
    firstMinute = minute;
    for (int entry = seen.size() - 1; entry >= 0; entry--) {
      if (seen.key(entry, MINUTE_PART) < minute) {
        seen.remove(entry);
      }
    }
  }

  private static TableBlock rows(Map<Key, Integer> fresh) {
    TableBlock rows = new TableBlock(AppRows.APPS, fresh.size());
    int row = 0;
    for (Map.Entry<Key, Integer> entry : fresh.entrySet()) {
      rows.longs(0)[row] = entry.getKey().minute() * AppRows.MINUTE;
      rows.texts(1).add(entry.getKey().app());
      rows.longs(5)[row] = entry.getValue();
      row++;
    }
    rows.rows(row);
    return rows;
  }

  @Override
  public StateSnapshot snapshot() {
    return seen.snapshot().withHeader(VERSION);
  }

  @Override
  public void restore(int group, BlockInput in) {
    int version = in.takeInt();
    if (version != VERSION) {
      throw in.broken("unsupported version of subscribers: " + version);
    }
    seen.restore(in);
  }
}
