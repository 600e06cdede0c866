package io.millrace.datasets.csv;

import io.millrace.datasets.DatasetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Handling of invalid lines: reject at once, or skip and count. Not thread-safe. */
public final class Faults {
  private static final int EXAMPLES = 10;

  private final boolean lenient;
  private final Map<LineFault, Long> counts = new EnumMap<>(LineFault.class);
  private final List<String> examples = new ArrayList<>();

  /** Skips and counts if {@code lenient}, else throws. */
  public Faults(boolean lenient) {
    this.lenient = lenient;
  }

  /**
   * Records a skipped line.
   *
   * @throws DatasetException if not lenient
   */
  public void add(LineFault kind, Path file, long line, String what) throws DatasetException {
    if (!lenient) {
      throw new DatasetException(file, line, what);
    }
    count(kind, file + ":" + line + ": " + what);
  }

  /**
   * Records a skipped entry of a file without meaningful lines.
   *
   * @param where path of the entry in the file
   * @throws DatasetException if not lenient
   */
  public void add(LineFault kind, Path file, String where, String what) throws DatasetException {
    if (!lenient) {
      throw new DatasetException(file, where + ": " + what);
    }
    count(kind, file + ": " + where + ": " + what);
  }

  private void count(LineFault kind, String example) {
    counts.merge(kind, 1L, Long::sum);
    if (examples.size() < EXAMPLES) {
      examples.add(example);
    }
  }

  /** Skipped lines by fault; only faults that occurred. */
  public Map<LineFault, Long> counts() {
    return Collections.unmodifiableMap(counts);
  }

  /** Total of skipped lines. */
  public long total() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Summary in one line: counts by fault, and the first example. */
  @Override
  public String toString() {
    return counts.entrySet().stream()
            .map(count -> count.getKey().label() + " " + count.getValue())
            .collect(Collectors.joining(", "))
        + (examples.isEmpty() ? "" : "; first: " + examples.get(0));
  }

  /** Messages of the first skipped lines. */
  public List<String> examples() {
    return Collections.unmodifiableList(examples);
  }
}
