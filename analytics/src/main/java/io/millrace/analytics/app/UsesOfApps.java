package io.millrace.analytics.app;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.TableBlock;
import java.util.Set;

/** Filter of {@link AppRows#USES} by application. */
public final class UsesOfApps implements Analyzer<TableBlock, TableBlock> {
  private static final int APP = AppRows.USES.indexOf("app");

  private final Set<String> apps;

  /**
   * An unopened analyzer.
   *
   * @param apps to keep; empty for all
   */
  public UsesOfApps(Set<String> apps) {
    this.apps = Set.copyOf(apps);
  }

  @Override
  public void process(TableBlock uses, Emitter<TableBlock> out) {
    if (apps.isEmpty()) {
      out.emit(uses);
      return;
    }
    int[] kept = new int[uses.rows()];
    int count = 0;
    for (int row = 0; row < uses.rows(); row++) {
      if (apps.contains(uses.text(row, APP))) {
        kept[count++] = row;
      }
    }
    if (count > 0) {
      out.emit(uses.select(kept, count));
    }
  }
}
