package io.millrace.analytics.alerts;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.hitters.HitterJudge;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.Set;

/** Heavy hitters and changers as {@link AlertRows#REPORTED}: a key that is both yields two rows. */
public final class HitterAlerts implements Analyzer<TableBlock, TableBlock> {
  private static final TableSchema ROWS = HitterJudge.schema();
  private static final int EPOCH = ROWS.indexOf("epoch");
  private static final int KIND = ROWS.indexOf("kind");
  private static final int KEY = ROWS.indexOf("key");
  private static final int MEASURE = ROWS.indexOf("measure");
  private static final int RANK = ROWS.indexOf("rank");
  private static final int CHANGE_RANK = ROWS.indexOf("change_rank");
  private static final int ESTIMATE = ROWS.indexOf("estimate");
  private static final int SHARE = ROWS.indexOf("share");
  private static final int PREVIOUS = ROWS.indexOf("previous");
  private static final int EPOCH_END = ROWS.indexOf("epoch_end");

  private final Set<AlertKind> kinds;

  /**
   * An unopened analyzer.
   *
   * @param kinds to report
   */
  public HitterAlerts(Set<AlertKind> kinds) {
    this.kinds = Set.copyOf(kinds);
  }

  @Override
  public void process(TableBlock hitters, Emitter<TableBlock> out) {
    TableBlock reported = new TableBlock(AlertRows.REPORTED, 0);
    for (int row = 0; row < hitters.rows(); row++) {
      add(hitters, row, RANK, AlertKind.HITTER, reported);
      add(hitters, row, CHANGE_RANK, AlertKind.CHANGER, reported);
    }
    if (reported.rows() > 0) {
      out.emit(reported);
    }
  }

  private void add(TableBlock hitters, int row, int rank, AlertKind kind, TableBlock reported) {
    if (hitters.longs(rank)[row] == TableBlock.NULL || !kinds.contains(kind)) {
      return;
    }
    AlertRows.append(
        new AlertRows.Key(
            hitters.longs(EPOCH)[row],
            hitters.longs(EPOCH_END)[row],
            kind.label(),
            hitters.texts(KIND).get(row),
            hitters.texts(KEY).get(row),
            hitters.texts(MEASURE).get(row),
            hitters.longs(ESTIMATE)[row],
            hitters.longs(PREVIOUS)[row],
            hitters.doubles(SHARE)[row]),
        reported);
  }
}
