package io.millrace.store.duckdb.top;

import io.millrace.store.query.Dialect;
import io.millrace.store.query.Relation;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/**
 * Groups of loose rows, which are in no whole bucket: open minutes, rows at the edges of a time
 * range, rows that are not rolled up yet. Groups without a number in the cached set have numbers
 * after its own.
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

  static LooseGroups none(CachedSet.Groups groups) {
    return new LooseGroups(
        groups,
        new GroupNumbers(groups.keys().longs()),
        new double[0],
        new double[0],
        new double[3]);
  }

  static Optional<LooseGroups> read(
      DuckDBConnection connection,
      CachedSet set,
      CachedSet.Groups groups,
      Optional<Relation> query,
      int most)
      throws SQLException {
    if (query.isEmpty()) {
      return Optional.of(none(groups));
    }
    GroupNumbers others = new GroupNumbers(groups.keys().longs());
    double[] volumes = new double[groups.size()];
    double[] flows = new double[groups.size()];
    double[] sums = new double[3];
    long[] key = new long[groups.keys().longs()];
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query.get().in(Dialect.DUCKDB))) {
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
        int next = key.length + 1;
        volumes[number] = rows.getDouble(next);
        flows[number] = rows.getDouble(next + 1);
        sums[0] += volumes[number];
        sums[1] += rows.getDouble(next + 2);
        sums[2] += rows.getDouble(next + 3);
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
    // A group that got its number later is not among them.
    return held >= 0 && held < groups.size() ? held : groups.size() + others.number(key);
  }

  int others() {
    return others.size();
  }

  double[] volumes() {
    return volumes;
  }

  double[] flows() {
    return flows;
  }

  double volume() {
    return volume;
  }

  double unscaled() {
    return unscaled;
  }

  long rows() {
    return rows;
  }

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
