package io.millrace.store.iceberg;

import io.millrace.store.duckdb.schema.FlowPart;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Small files to merge into one, of one hour and part: at least two, oldest rows first.
 *
 * @param hour since the epoch
 * @param paths of the files
 */
record Merge(FlowPart part, int hour, List<String> paths) {
  /** Number of small files of the current hour at which they are merged. */
  private static final int MANY_FILES = 16;

  /**
   * The next files to merge; null if there are none.
   *
   * @param largeRows files with at least this number of rows are not merged
   */
  static Merge next(Collection<CommittedFile> files, int largeRows) {
    int newestHour = Integer.MIN_VALUE;
    Map<List<Object>, List<CommittedFile>> small = new LinkedHashMap<>();
    for (CommittedFile file : files) {
      newestHour = Math.max(newestHour, file.hour());
      if (file.rows() < largeRows) {
        small
            .computeIfAbsent(
                List.of(file.hour(), file.part(), file.isImported()), key -> new ArrayList<>())
            .add(file);
      }
    }
    // Files of future hours, left by a clock that was ahead, must not end the current hour.
    long currentHour =
        Math.min(newestHour, TimeUnit.MILLISECONDS.toHours(System.currentTimeMillis()));
    for (List<CommittedFile> group : small.values()) {
      CommittedFile first = group.get(0);
      if (group.size() >= (first.hour() < currentHour ? 2 : MANY_FILES)) {
        return new Merge(first.part(), first.hour(), oldest(group, largeRows));
      }
    }
    return null;
  }

  /** The oldest files, at least two; their number of rows is limited to keep merges short. */
  private static List<String> oldest(List<CommittedFile> group, int largeRows) {
    List<CommittedFile> all =
        group.stream().sorted(Comparator.comparingLong(file -> file.extent().oldest())).toList();
    long rows = 0;
    int n = 0;
    while (n < all.size() && (n < 2 || rows + all.get(n).rows() <= 4L * largeRows)) {
      rows += all.get(n).rows();
      n++;
    }
    return all.subList(0, n).stream().map(CommittedFile::path).toList();
  }
}
