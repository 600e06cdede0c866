package io.millrace.analytics.app;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.TableBlock;
import java.util.Set;

/** Filter of {@link AppRows#USAGE} by application. */
public final class AppUsageFilter implements Analyzer<TableBlock, TableBlock> {
  private static final int APP = AppRows.USAGE.indexOf("app");

  private final Set<String> apps;

  /**
   * An unopened analyzer.
   *
   * @param apps to keep; empty for all
   */
  public AppUsageFilter(Set<String> apps) {
    this.apps = Set.copyOf(apps);
  }

  @Override
  public void process(TableBlock usage, Emitter<TableBlock> out) {
    if (apps.isEmpty()) {
      out.emit(usage);
      return;
    }
    int[] kept = new int[usage.rows()];
    int count = 0;
    for (int row = 0; row < usage.rows(); row++) {
      if (apps.contains(usage.text(row, APP))) {
        kept[count++] = row;
      }
    }
    if (count > 0) {
      out.emit(usage.select(kept, count));
    }
  }
}
