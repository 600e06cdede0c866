package io.millrace.store.duckdb.top;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/**
 * Groups of what is in no whole bucket: of open minutes, of rows at the edges of a window, of rows
 * that are not rolled up yet. Those that a held set has no number for have numbers behind its own.
 */
final class LooseGroups {
  private final CachedSet.Groups groups;
  private final GroupNumbers others;
  private final double[] volumes;
  private final double[] flows;
  private final double volume;
  private final double unscaled;
  private final long rows;

  private LooseGroups(
      CachedSet.Groups groups,
      GroupNumbers others,
      double[] volumes,
      double[] flows,
      double[] sums) {
    this.groups = groups;
    this.others = others;
    this.volumes = volumes;
    this.flows = flows;
    volume = sums[0];
    unscaled = sums[1];
    rows = (long) sums[2];
  }

  /** None at all. */
  static LooseGroups none(CachedSet.Groups groups) {
    return new LooseGroups(
        groups,
        new GroupNumbers(groups.keys().longs()),
        new double[0],
        new double[0],
        new double[3]);
  }

  /**
   * Reads them; empty if there are too many.
   *
   * @param set whose groups those are
   * @param sql of the columns of {@link GroupKeys#select}, volume, rows, unscaled volume and number
   *     of rows that are no sums; empty where there is nothing
   * @param most groups
   */
  static Optional<LooseGroups> read(
      DuckDBConnection connection, CachedSet set, CachedSet.Groups groups, String sql, int most)
      throws SQLException {
    if (sql.isEmpty()) {
      return Optional.of(none(groups));
    }
    GroupNumbers others = new GroupNumbers(groups.keys().longs());
    double[] volumes = new double[groups.size()];
    double[] flows = new double[groups.size()];
    double[] sums = new double[3];
    long[] key = new long[groups.keys().longs()];
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql + " LIMIT " + (most + 1))) {
      for (int n = 0; rows.next(); n++) {
        if (n == most) {
          return Optional.empty();
        }
        groups.keys().read(rows, 1, key);
        int number = number(set, groups, others, key);
        if (number >= volumes.length) {
          int room = Math.max(number + 1, volumes.length + volumes.length / 2);
          volumes = Arrays.copyOf(volumes, room);
          flows = Arrays.copyOf(flows, room);
        }
        int behind = key.length + 1;
        volumes[number] = rows.getDouble(behind);
        flows[number] = rows.getDouble(behind + 1);
        sums[0] += volumes[number];
        sums[1] += rows.getDouble(behind + 2);
        sums[2] += rows.getDouble(behind + 3);
      }
    }
    return Optional.of(new LooseGroups(groups, others, volumes, flows, sums));
  }

  private static int number(
      CachedSet set, CachedSet.Groups groups, GroupNumbers others, long[] key) {
    int held;
    synchronized (set) {
      held = groups.numbers().find(key);
    }
    // A group that got its number since these were read is not among them.
    return held >= 0 && held < groups.size() ? held : groups.size() + others.number(key);
  }

  /** Number of groups that the held set has no number for. */
  int others() {
    return others.size();
  }

  /** Volume by number; those beyond the array's end have none. */
  double[] volumes() {
    return volumes;
  }

  /** Flows by number. */
  double[] flows() {
    return flows;
  }

  /** Of all of them. */
  double volume() {
    return volume;
  }

  /** The same without the sampling rate. */
  double unscaled() {
    return unscaled;
  }

  /** Rows that are no sums. */
  long rows() {
    return rows;
  }

  /** The key of a group, held or not. */
  long[] key(CachedSet set, int number) {
    long[] key = new long[groups.keys().longs()];
    if (number < groups.size()) {
      synchronized (set) {
        groups.numbers().key(number, key);
      }
    } else {
      others.key(number - groups.size(), key);
    }
    return key;
  }
}
