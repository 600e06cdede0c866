package io.millrace.analytics.alerts;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.keyed.KeyBytes;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.StateHead;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;

/**
 * Selects the new keys among reported ones ({@link AlertRows#REPORTED}) ({@link AlertRows#ALERTS}),
 * which no window has reported for some time. The windows of one key come in order.
 *
 * <pre>
 *   window     1   2   3   4   5   6   7   8   9
 *   reported   x   x       x               x   x    resolved after three windows
 *   alert      !                           !
 * </pre>
 *
 * State: 20 bytes and the key for each key that a window has reported in that time.
 */
public final class NewKeys implements KeyedAnalyzer<TableBlock, TableBlock> {
  /** Counter: alerts. */
  public static final String ALERTS = "alerts";

  private static final StateHead HEAD = new StateHead('N', 1, "keys with alerts");

  /** Number of sweeps for expired keys within the time that a key is kept. */
  private static final int SWEEPS = 4;

  // Columns of the state.
  private static final int LAST = 0;
  private static final int LENGTH = 1;

  private final long resolveMicros;
  private final AlertText texts;
  private final KeyBytes key = new KeyBytes();
  private AnalyzerContext.Counter given;

  /**
   * By key, the last microsecond of the newest window that reported it, and that window's length.
   */
  private ByteKeyTable known;

  private long sweepAt = Long.MIN_VALUE;

  /**
   * An unopened analyzer.
   *
   * @param resolveMicros time without a report after which a key is new again
   * @param texts of alerts
   */
  public NewKeys(long resolveMicros, AlertText texts) {
    this.resolveMicros = resolveMicros;
    this.texts = texts;
  }

  @Override
  public void open(AnalyzerContext context) {
    given = context.counter(ALERTS);
    known = new ByteKeyTable(context.keyGroups(), 2);
    context.gauge("keys", known::size);
  }

  @Override
  public void process(TableBlock reported, Emitter<TableBlock> out) {
    TableBlock alerts = new TableBlock(AlertRows.ALERTS, 0);
    for (int row = 0; row < reported.rows(); row++) {
      long time = reported.longs(AlertRows.TIME)[row];
      long until = reported.longs(AlertRows.UNTIL)[row];
      AlertRows.KEYS.read(reported, row, key);
      int entry = known.find(key);
      boolean isNew = entry < 0 || time - known.values(LAST)[entry] - 1 > resolveMicros;
      if (entry < 0) {
        entry = known.entry(key);
      }
      if (isNew || until > known.values(LAST)[entry]) {
        known.values(LAST)[entry] = until;
        known.values(LENGTH)[entry] = until + 1 - time;
      }
      if (isNew) {
        AlertRows.append(AlertRows.key(reported, row), texts, alerts);
      }
    }
    if (alerts.rows() > 0) {
      given.add(alerts.rows());
      out.emit(alerts);
    }
  }

  /** Removes expired keys. */
  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    if (micros == Long.MAX_VALUE) {
      known.clear();
      return;
    }
    if (micros < sweepAt) {
      return;
    }
    for (int entry = known.size() - 1; entry >= 0; entry--) {
      // A window that is still open may have started before the key expires.
      if (micros - known.values(LAST)[entry] > resolveMicros + known.values(LENGTH)[entry]) {
        known.remove(entry);
      }
    }
    sweepAt = micros + resolveMicros / SWEEPS;
  }

  @Override
  public StateSnapshot snapshot() {
    return StateSnapshot.of(known.snapshot()).withHeader(HEAD.bits());
  }

  @Override
  public void restore(int group, BlockInput in) {
    HEAD.take(in);
    known.restore(in);
  }
}
