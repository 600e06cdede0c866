package io.millrace.datasets.csv;

import io.millrace.datasets.DatasetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What happens to a bad line: refused at once, or left out and counted. Not thread-safe. */
public final class Faults {
  private static final int EXAMPLES = 10;

  private final boolean lenient;
  private final Map<LineFault, Long> counts = new EnumMap<>(LineFault.class);
  private final List<String> examples = new ArrayList<>();

  /** Lenient ones count, others throw. */
  public Faults(boolean lenient) {
    this.lenient = lenient;
  }

  /**
   * Takes note of a line that is left out.
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
   * Takes note of an entry that is left out, in a file where lines mean nothing.
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

  /** Lines left out, by what was wrong; kinds that did not occur are not there. */
  public Map<LineFault, Long> counts() {
    return Collections.unmodifiableMap(counts);
  }

  /** Lines left out in all. */
  public long total() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** What was left out in one line: how many by reason, and the first one. */
  @Override
  public String toString() {
    return counts.entrySet().stream()
            .map(count -> count.getKey().label() + " " + count.getValue())
            .collect(Collectors.joining(", "))
        + (examples.isEmpty() ? "" : ", the first: " + examples.get(0));
  }

  /** The first few, in words. */
  public List<String> examples() {
    return Collections.unmodifiableList(examples);
  }
}
