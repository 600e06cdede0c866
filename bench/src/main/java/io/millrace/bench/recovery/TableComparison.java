package io.millrace.bench.recovery;

import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Two tables of flows over the same stretch of the log, compared row for row: by the place in the
 * log and by a hash of all readable columns, names included.
 *
 * <p>First by partition: rows, different places, and the sum of the rows' hashes, which does not
 * depend on their order. Only where these differ, the values of the log are gone through.
 *
 * @param rows of the undisturbed run
 * @param missing rows whose place is in the undisturbed run only
 * @param doubled rows more than places
 * @param different rows at the same place with another content, and rows at a place that the
 *     undisturbed run has not
 * @param examples of what is wrong, a few
 */
record TableComparison(
    long rows, long missing, long doubled, long different, List<String> examples) {
  private static final int MOST_EXAMPLES = 5;

  /** Whether the tables are the same. */
  boolean isEqual() {
    return missing == 0 && doubled == 0 && different == 0;
  }

  /** Of one partition or one value of the log. */
  private record Digest(long rows, long places, String hash) {}

  /**
   * Compares.
   *
   * @param from first offset of each partition
   * @param to first offset behind
   */
  static TableComparison of(SqlSource truth, SqlSource table, Frontier from, Frontier to)
      throws IOException {
    List<String> columns =
        truth.rows("SELECT column_name FROM (DESCRIBE SELECT * FROM flows)").stream()
            .map(row -> row.get(0))
            .toList();
    String hash = "hash(" + String.join(", ", columns) + ")";
    String stretch = stretch(from, to);
    Map<String, Digest> expected = digests(truth, "log_partition", hash, stretch);
    Map<String, Digest> actual = digests(table, "log_partition", hash, stretch);
    long rows = expected.values().stream().mapToLong(Digest::rows).sum();
    Sum sum = new Sum();
    for (String partition : expected.keySet()) {
      if (!expected.get(partition).equals(actual.get(partition))) {
        String one = stretch + " AND log_partition = " + partition;
        sum.add(
            partition,
            digests(truth, "log_offset", hash, one),
            digests(table, "log_offset", hash, one),
            truth,
            table,
            hash);
      }
    }
    for (String partition : actual.keySet()) {
      if (!expected.containsKey(partition)) {
        sum.different += actual.get(partition).rows;
        sum.tell("partition " + partition + " has no rows in the undisturbed run");
      }
    }
    return new TableComparison(rows, sum.missing, sum.doubled, sum.different, sum.examples);
  }

  private static String stretch(Frontier from, Frontier to) {
    return to.next().entrySet().stream()
        .map(
            end ->
                "log_partition = "
                    + end.getKey()
                    + " AND log_offset >= "
                    + from.next(end.getKey())
                    + " AND log_offset < "
                    + end.getValue())
        .collect(Collectors.joining(") OR (", "((", "))"));
  }

  private static Map<String, Digest> digests(
      SqlSource source, String key, String hash, String where) throws IOException {
    Map<String, Digest> digests = new HashMap<>();
    for (List<String> row :
        source.rows(
            "SELECT "
                + key
                + ", count(*), count(DISTINCT (log_offset, log_index)), sum("
                + hash
                + "::HUGEINT)::VARCHAR FROM flows WHERE "
                + where
                + " GROUP BY "
                + key)) {
      digests.put(
          row.get(0),
          new Digest(Long.parseLong(row.get(1)), Long.parseLong(row.get(2)), row.get(3)));
    }
    return digests;
  }

  /** What is wrong so far. */
  private static final class Sum {
    private long missing;
    private long doubled;
    private long different;
    private final List<String> examples = new ArrayList<>();

    void tell(String example) {
      if (examples.size() < MOST_EXAMPLES) {
        examples.add(example);
      }
    }

    /** A partition, by values of the log. */
    void add(
        String partition,
        Map<String, Digest> expected,
        Map<String, Digest> actual,
        SqlSource truth,
        SqlSource table,
        String hash)
        throws IOException {
      Digest none = new Digest(0, 0, "");
      for (Map.Entry<String, Digest> value : expected.entrySet()) {
        Digest is = actual.getOrDefault(value.getKey(), none);
        if (is.equals(value.getValue())) {
          continue;
        }
        if (is.rows == 0) {
          missing += value.getValue().rows;
          tell("missing: all rows of partition " + partition + ", offset " + value.getKey());
        } else {
          String where = "log_partition = " + partition + " AND log_offset = " + value.getKey();
          add(where, byIndex(truth, hash, where), byIndex(table, hash, where));
        }
      }
      for (Map.Entry<String, Digest> value : actual.entrySet()) {
        if (!expected.containsKey(value.getKey())) {
          different += value.getValue().rows;
          tell("nowhere else: partition " + partition + ", offset " + value.getKey());
        }
      }
    }

    private static Map<String, List<String>> byIndex(SqlSource source, String hash, String where)
        throws IOException {
      Map<String, List<String>> rows = new HashMap<>();
      for (List<String> row :
          source.rows("SELECT log_index, " + hash + "::VARCHAR FROM flows WHERE " + where)) {
        rows.computeIfAbsent(row.get(0), index -> new ArrayList<>()).add(row.get(1));
      }
      return rows;
    }

    /** A value of the log, row for row. */
    private void add(
        String where, Map<String, List<String>> expected, Map<String, List<String>> actual) {
      expected.forEach(
          (index, hashes) -> {
            List<String> is = actual.getOrDefault(index, List.of());
            String place = where + " AND log_index = " + index;
            if (is.isEmpty()) {
              missing++;
              tell("missing: " + place);
            } else if (!is.contains(hashes.get(0))) {
              different++;
              tell("different: " + place);
            }
            if (is.size() > 1) {
              doubled += is.size() - 1;
              tell("doubled: " + place);
            }
          });
      actual.forEach(
          (index, hashes) -> {
            if (!expected.containsKey(index)) {
              different += hashes.size();
              tell("nowhere else: " + where + " AND log_index = " + index);
            }
          });
    }
  }
}
