package io.millrace.lab.recovery;

import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Row-by-row comparison of two tables of flows over the same range of the log: by position in the
 * log, a hash of all columns as stored, and a hash of the names as read.
 *
 * <p>It first compares partitions: rows, distinct positions, and sums of row hashes, which do not
 * depend on the order. Only if these differ does it compare the values of the log. Addresses are
 * hashed as stored, since converting them to text takes longer than everything else; texts as read,
 * since their ids depend on which came first.
 *
 * @param rows rows of the undisturbed run
 * @param missing rows at positions that only the undisturbed run has
 * @param doubled rows in excess of positions
 * @param different rows with other content at the same position, and rows at positions that the
 *     undisturbed run lacks
 * @param examples some of the differences
 */
record TableComparison(
    long rows, long missing, long doubled, long different, List<String> examples) {
  private static final int MAX_EXAMPLES = 5;

  /** Maximum log values compared row by row; for others, the sums suffice. */
  private static final int MAX_EXAMINED = 20;

  private static final String READABLE = "flows";

  /** The rows of sampled packets, with addresses as numbers and texts as ids. */
  private static final String STORED = "raw.flows";

  /** Whether the tables are the same. */
  boolean isEqual() {
    return missing == 0 && doubled == 0 && different == 0;
  }

  /** Sums over a partition or a value of the log. */
  private record Digest(long rows, long places, String stored, String names) {}

  /** SQL of a row's hashes: of the stored columns, and of the names. */
  private record Hashes(String stored, String names) {}

  private static List<String> columns(SqlSource source, String table) throws IOException {
    return source.rows("SELECT column_name FROM (DESCRIBE SELECT * FROM " + table + ")").stream()
        .map(row -> row.get(0))
        .toList();
  }

  private static String hash(List<String> columns) {
    return "hash(" + String.join(", ", columns) + ")";
  }

  /**
   * Compares two tables.
   *
   * @param names text columns
   * @param from first offset of each partition
   * @param to end offset, exclusive
   */
  static TableComparison of(
      SqlSource truth, SqlSource table, List<String> names, Frontier from, Frontier to)
      throws IOException {
    List<String> stored = new ArrayList<>(columns(truth, STORED));
    stored.removeAll(names);
    Hashes hash = new Hashes(hash(stored), names.isEmpty() ? "0" : hash(names));
    String range = range(from, to);
    Map<String, Digest> expected = digests(truth, "log_partition", hash, range);
    Map<String, Digest> actual = digests(table, "log_partition", hash, range);
    long rows = expected.values().stream().mapToLong(Digest::rows).sum();
    Sum sum = new Sum();
    for (String partition : expected.keySet()) {
      if (!expected.get(partition).equals(actual.get(partition))) {
        String one = range + " AND log_partition = " + partition;
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

  private static String range(Frontier from, Frontier to) {
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
      SqlSource source, String key, Hashes hash, String where) throws IOException {
    String end = " WHERE " + where + " GROUP BY " + key;
    Map<String, String> names = new HashMap<>();
    for (List<String> row :
        source.rows(
            "SELECT %s, count(*) || ' rows, ' || %s FROM %s%s"
                .formatted(key, sum(hash.names), READABLE, end))) {
      names.put(row.get(0), row.get(1));
    }
    Map<String, Digest> digests = new HashMap<>();
    for (List<String> row :
        source.rows(
            "SELECT "
                + key
                + ", count(*), count(DISTINCT (log_offset, log_index)), "
                + sum(hash.stored)
                + " FROM "
                + STORED
                + end)) {
      digests.put(
          row.get(0),
          new Digest(
              Long.parseLong(row.get(1)),
              Long.parseLong(row.get(2)),
              row.get(3),
              names.getOrDefault(row.get(0), "")));
    }
    return digests;
  }

  private static String sum(String hash) {
    return "sum(" + hash + "::HUGEINT)::VARCHAR";
  }

  /** Differences so far. */
  private static final class Sum {
    private long missing;
    private long doubled;
    private long different;
    private final List<String> examples = new ArrayList<>();
    private int examined;

    void tell(String example) {
      if (examples.size() < MAX_EXAMPLES) {
        examples.add(example);
      }
    }

    /** Adds a partition, by values of the log. */
    void add(
        String partition,
        Map<String, Digest> expected,
        Map<String, Digest> actual,
        SqlSource truth,
        SqlSource table,
        Hashes hash)
        throws IOException {
      Digest none = new Digest(0, 0, "", "");
      for (Map.Entry<String, Digest> value : expected.entrySet()) {
        Digest is = actual.getOrDefault(value.getKey(), none);
        if (is.equals(value.getValue())) {
          continue;
        }
        if (is.rows == 0) {
          missing += value.getValue().rows;
          tell("missing: all rows of partition " + partition + ", offset " + value.getKey());
        } else if (examined < MAX_EXAMINED) {
          examined++;
          String where = "log_partition = " + partition + " AND log_offset = " + value.getKey();
          add(where, byIndex(truth, hash, where), byIndex(table, hash, where), truth, table);
        } else {
          add(value.getValue(), is);
        }
      }
      for (Map.Entry<String, Digest> value : actual.entrySet()) {
        if (!expected.containsKey(value.getKey())) {
          different += value.getValue().rows;
          tell("unexpected: partition " + partition + ", offset " + value.getKey());
        }
      }
    }

    /** Adds a value of the log by its sums: if all rows exist, at least one differs. */
    private void add(Digest expected, Digest is) {
      missing += Math.max(0, expected.places - is.places);
      doubled += is.rows - is.places;
      different += expected.rows == is.rows ? 1 : 0;
    }

    private static Map<String, List<String>> byIndex(SqlSource source, Hashes hash, String where)
        throws IOException {
      Map<String, List<String>> rows = new HashMap<>();
      Map<String, String> names = new HashMap<>();
      String end = " WHERE " + where;
      for (List<String> row :
          source.rows("SELECT log_index, " + hash.names + "::VARCHAR FROM " + READABLE + end)) {
        names.put(row.get(0), row.get(1));
      }
      for (List<String> row :
          source.rows("SELECT log_index, " + hash.stored + "::VARCHAR FROM " + STORED + end)) {
        rows.computeIfAbsent(row.get(0), index -> new ArrayList<>())
            .add(row.get(1) + " " + names.get(row.get(0)));
      }
      return rows;
    }

    /** Adds a value of the log, row by row. */
    private void add(
        String where,
        Map<String, List<String>> expected,
        Map<String, List<String>> actual,
        SqlSource truth,
        SqlSource table)
        throws IOException {
      for (Map.Entry<String, List<String>> row : expected.entrySet()) {
        List<String> is = actual.getOrDefault(row.getKey(), List.of());
        String place = where + " AND log_index = " + row.getKey();
        if (is.isEmpty()) {
          missing++;
          tell("missing: " + place);
        } else if (!is.contains(row.getValue().get(0))) {
          different++;
          tell("different: " + place + ": " + difference(truth, table, place));
        }
        if (is.size() > 1) {
          doubled += is.size() - 1;
          tell("duplicate: " + place);
        }
      }
      for (Map.Entry<String, List<String>> row : actual.entrySet()) {
        if (!expected.containsKey(row.getKey())) {
          different += row.getValue().size();
          tell("unexpected: " + where + " AND log_index = " + row.getKey());
        }
      }
    }

    /** Columns in which two rows differ, with expected and actual values. */
    private String difference(SqlSource truth, SqlSource table, String place) throws IOException {
      if (examples.size() >= MAX_EXAMPLES) {
        return "";
      }
      List<String> differing = new ArrayList<>();
      for (String from : List.of(STORED, READABLE)) {
        List<String> columns = columns(truth, from);
        String query = "SELECT " + String.join(", ", columns) + " FROM " + from + " WHERE " + place;
        List<String> should = truth.rows(query).get(0);
        List<String> is = table.rows(query).get(0);
        for (int i = 0; i < columns.size(); i++) {
          if (!should.get(i).equals(is.get(i))) {
            differing.add(columns.get(i) + ": expected " + should.get(i) + ", found " + is.get(i));
          }
        }
      }
      return String.join(", ", differing);
    }
  }
}
