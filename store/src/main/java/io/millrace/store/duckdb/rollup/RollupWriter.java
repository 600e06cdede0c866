package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.duckdb.sums.BufferSums;
import io.millrace.store.duckdb.sums.SealedSums;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.StoredRollup;
import io.millrace.store.rollup.StoredRollup.Times;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Adds the sums of a log range to rollups, in the transaction of the given statement.
 *
 * <p>Groups are added to the open minutes and, if they are late, to the closed bucket of each
 * grain. If such a bucket has dropped groups, a late group that it lacks is added to the sums of
 * the dropped groups.
 */
final class RollupWriter {
  private static final String RECORDS = "temp.rollup_records";
  private static final String GROUPS = "temp.rollup_groups";
  private static final String LATE = "temp.rollup_late";

  private final String table;
  private final Map<FlowPart, FlowLayout> layouts;
  private final RollupRules rules;
  private final RollupFolder folder;
  private final RollupSql sql;

  RollupWriter(
      String table,
      Map<FlowPart, FlowLayout> layouts,
      RollupRules rules,
      RollupFolder folder,
      RollupSql sql) {
    this.table = table;
    this.folder = folder;
    this.layouts = layouts;
    this.rules = rules;
    this.sql = sql;
  }

  record WrittenRollup(long rows, long newest, boolean isSpread) {}

  /** Adds sums that were made when the rows were sealed. */
  WrittenRollup write(Statement statement, List<StoredRollup> sets, SealedSums.Shown sealed)
      throws SQLException {
    List<BufferSums> all = sealed.run().sums();
    long oldest = all.stream().mapToLong(BufferSums::oldest).min().orElse(Long.MAX_VALUE);
    long newest = all.stream().mapToLong(BufferSums::newest).max().orElse(RollupCatalog.ALWAYS);
    RollupExtent extent = new RollupExtent(sealed.run().rows(), oldest, newest, false, 0);
    boolean isSpread = all.stream().anyMatch(BufferSums::isSpread);
    if (extent.rows() > 0) {
      write(
          statement,
          sets,
          List.of(
              new Arrival(extent) {
                @Override
                String groups(StoredRollup set, Grain grain, RollupExtent piece) {
                  return sql.sealed(
                      sealed.groups(set.set().name()), layout(), set.set().columns(), grain, piece);
                }

                @Override
                List<RollupExtent> pieces() {
                  return List.of(extent);
                }
              }),
          !isSpread);
    }
    if (isSpread) {
      for (StoredRollup set : sets) {
        String groups = sealed.groups(set.set().name());
        add(statement, set, sql.sealedSpread(groups, layout(), set.set().columns()));
      }
    }
    return new WrittenRollup(extent.rows(), newest, isSpread);
  }

  private FlowLayout layout() {
    return layouts.get(FlowPart.RECORDS);
  }

  /**
   * Adds the sums of rows that are read from the table.
   *
   * @param read bounds of the rows that the statement's connection sees
   */
  WrittenRollup write(
      Statement statement, List<StoredRollup> sets, LogRange range, Map<FlowPart, RowExtent> read)
      throws SQLException {
    List<RowArrival> arrived = arrived(statement, range, read);
    long newest = RollupCatalog.ALWAYS;
    long rows = 0;
    boolean isSpread = false;
    for (RowArrival each : arrived) {
      newest = Math.max(newest, each.extent.newest());
      rows += each.extent.rows();
      isSpread |= each.part == FlowPart.RECORDS && loadRecords(statement, sets, range);
    }
    write(statement, sets, arrived, arrived.size() == 1 && !isSpread);
    if (isSpread) {
      for (StoredRollup set : sets) {
        add(statement, set, sql.spread(RECORDS, set.set().columns()));
      }
    }
    statement.execute("DROP TABLE IF EXISTS " + RECORDS);
    return new WrittenRollup(rows, newest, isSpread);
  }

  private void write(
      Statement statement,
      List<StoredRollup> sets,
      List<? extends Arrival> arrived,
      boolean isAlone)
      throws SQLException {
    for (Arrival each : arrived) {
      RollupExtent hours = isAlone ? each.extent.hours(endOfSums(sets)) : null;
      for (RollupExtent piece : hours == null ? each.pieces() : each.outside(hours)) {
        for (StoredRollup set : sets) {
          writeArrivals(statement, set, each, piece);
        }
      }
      if (hours != null) {
        for (StoredRollup set : sets) {
          foldHours(statement, set, each, hours);
        }
      }
    }
  }

  /** Rows of one part, or of both parts if they are already aggregated. */
  private abstract static class Arrival {
    final RollupExtent extent;

    Arrival(RollupExtent extent) {
      this.extent = extent;
    }

    /** SELECT of the groups that arrived during a piece. */
    abstract String groups(StoredRollup set, Grain grain, RollupExtent piece);

    List<RollupExtent> pieces() {
      return extent.pieces();
    }

    List<RollupExtent> outside(RollupExtent hours) {
      return Stream.of(
              extent.within(extent.oldest(), hours.oldest()),
              extent.within(hours.newest() + 1, extent.newest() + 1))
          .filter(Objects::nonNull)
          .toList();
    }
  }

  /** Rows that are read from the table. */
  private final class RowArrival extends Arrival {
    private final FlowPart part;
    private final String where;

    RowArrival(FlowPart part, String where, RollupExtent extent) {
      super(extent);
      this.part = part;
      this.where = where;
    }

    @Override
    String groups(StoredRollup set, Grain grain, RollupExtent piece) {
      String during = piece.equals(extent) ? where : where + " AND " + piece.during();
      return sql.arrivals(table, part, layouts, set.set().columns(), during, grain, piece);
    }
  }

  private List<RowArrival> arrived(
      Statement statement, LogRange range, Map<FlowPart, RowExtent> read) throws SQLException {
    List<RowArrival> arrived = new ArrayList<>();
    for (FlowPart part : FlowPart.values()) {
      RowExtent there = read.get(part);
      if (there.rows() > 0) {
        String where = there.within(range);
        RollupExtent extent = RollupExtent.read(statement, table, part, where);
        if (extent.rows() > 0) {
          arrived.add(new RowArrival(part, where, extent));
        }
      }
    }
    return arrived;
  }

  private static long endOfSums(List<StoredRollup> sets) {
    long endOfSums = RollupCatalog.ALWAYS;
    for (StoredRollup set : sets) {
      long after = set.newest() == RollupCatalog.ALWAYS ? set.newest() : set.newest() + 1;
      endOfSums = Math.max(endOfSums, after);
      for (Grain grain : RollupFolder.HOURLY) {
        Times times = set.times().get(grain);
        endOfSums = Math.max(endOfSums, Math.max(times.from(), times.complete()));
      }
    }
    return endOfSums;
  }

  private void foldHours(Statement statement, StoredRollup set, Arrival rows, RollupExtent hours)
      throws SQLException {
    folder.foldHours(
        statement,
        set,
        grain ->
            RollupSql.timed(set.set().columns(), grain, "(" + rows.groups(set, grain, hours) + ")"),
        Grain.HOUR.bucket(hours.oldest()),
        hours.newest() + 1,
        sql);
  }

  private void writeArrivals(
      Statement statement, StoredRollup set, Arrival rows, RollupExtent piece) throws SQLException {
    String groups = rows.groups(set, Grain.MINUTE, piece);
    long complete = set.times().get(Grain.MINUTE).complete();
    if (Grain.MINUTE.bucket(piece.oldest()) >= complete) {
      addToOpen(statement, set, "(" + groups + ")");
    } else {
      add(statement, set, groups);
    }
  }

  private boolean loadRecords(Statement statement, List<StoredRollup> sets, LogRange range)
      throws SQLException {
    Set<String> columns = new LinkedHashSet<>();
    sets.forEach(set -> columns.addAll(set.set().columns()));
    List<String> pieces = new ArrayList<>();
    for (RollupRules.Piece piece : rules.pieces(range)) {
      pieces.add(sql.longRecords(table, List.copyOf(columns), piece.range(), piece.rule()));
    }
    if (pieces.isEmpty()) {
      return false;
    }
    return RollupTables.temporary(statement, RECORDS, String.join(" UNION ALL ", pieces)) > 0;
  }

  private void add(Statement statement, StoredRollup set, String groups) throws SQLException {
    if (RollupTables.temporary(statement, GROUPS, groups) > 0) {
      addToOpen(statement, set, GROUPS);
      for (Grain grain : Grain.values()) {
        addLate(statement, set, grain);
      }
    }
    statement.execute("DROP TABLE " + GROUPS);
  }

  private void addToOpen(Statement statement, StoredRollup set, String groups) throws SQLException {
    long from = Math.max(set.openFrom(), set.times().get(Grain.MINUTE).from());
    statement.execute(
        "INSERT INTO %s %s%s"
            .formatted(
                RollupCatalog.open(table, set.set().name()),
                RollupSql.timed(set.set().columns(), Grain.MINUTE, groups),
                from == RollupCatalog.ALWAYS
                    ? ""
                    : " WHERE bucket >= " + from / Grain.MINUTE.micros()));
  }

  private void addLate(Statement statement, StoredRollup set, Grain grain) throws SQLException {
    Times times = set.times().get(grain);
    if (times.complete() == RollupCatalog.ALWAYS) {
      return;
    }
    String dims = RollupSql.list(set.set().columns());
    String first =
        times.from() == RollupCatalog.ALWAYS
            ? ""
            : " AND bucket >= " + times.from() / Grain.MINUTE.micros();
    String late =
        "SELECT %s AS bucket, %s, spread, %s FROM %s WHERE bucket < %d%s GROUP BY ALL"
            .formatted(
                RollupSql.bucket(grain, "make_timestamp(bucket * " + Grain.MINUTE.micros() + ")"),
                dims,
                sql.sumsOfSums(),
                GROUPS,
                times.complete() / Grain.MINUTE.micros(),
                first);
    if (RollupTables.temporary(statement, LATE, late) > 0) {
      String stored = RollupCatalog.stored(table, set.set().name(), grain);
      if (grain == Grain.HOUR) {
        RollupCatalog.addToOpenHours(
            statement, table, set, LATE); // also for the day, unless it is closed
      }
      LateBuckets.add(statement, table, set.set().name(), grain, LATE);
      moveUnlistedToRest(statement, set, grain, stored);
      statement.execute(
          "INSERT INTO " + RollupCatalog.recent(table, set.set().name(), grain) + " FROM " + LATE);
    }
    statement.execute("DROP TABLE " + LATE);
  }

  private void moveUnlistedToRest(Statement statement, StoredRollup set, Grain grain, String stored)
      throws SQLException {
    String name = set.set().name();
    String pruned =
        "SELECT bucket FROM %s WHERE table_name = '%s' AND set_name = '%s' AND grain = '%s'"
            .formatted(RollupCatalog.REST, table, name, grain);
    String dropping = "SELECT DISTINCT bucket FROM " + LATE + " WHERE bucket IN (" + pruned + ")";
    StringBuilder same = new StringBuilder("s.bucket = l.bucket");
    for (String column : set.set().columns()) {
      same.append(" AND s.%s IS NOT DISTINCT FROM l.%s".replace("%s", Catalog.quoted(column)));
    }
    String unlisted =
        "l.bucket IN (%s) AND NOT EXISTS (SELECT 1 FROM %s s WHERE s.bucket IN (%s) AND %s)"
            .formatted(dropping, stored, dropping, same);
    StringBuilder sums = new StringBuilder();
    StringBuilder bounds = new StringBuilder();
    for (String sum : RollupCatalog.SUMS) {
      sums.append(", sum(").append(Catalog.quoted(sum)).append(")");
      bounds.append(", greatest(max(").append(Catalog.quoted(sum)).append("), 0)");
    }
    long moved =
        statement.executeLargeUpdate(
            "INSERT INTO %s SELECT '%s', '%s', '%s', bucket, spread%s%s FROM %s l WHERE %s GROUP BY bucket, spread"
                .formatted(RollupCatalog.REST, table, name, grain, sums, bounds, LATE, unlisted));
    if (moved > 0) {
      statement.execute("DELETE FROM " + LATE + " l WHERE " + unlisted);
    }
  }

  void store(Statement statement, String set, Frontier rolled, long newest) throws SQLException {
    String which = " WHERE table_name = '" + table + "' AND set_name = '" + set + "'";
    statement.execute("DELETE FROM " + RollupCatalog.FRONTIERS + which);
    for (Map.Entry<Integer, Long> entry : rolled.next().entrySet()) {
      statement.execute(
          "INSERT INTO %s VALUES ('%s', '%s', %d, %d)"
              .formatted(RollupCatalog.FRONTIERS, table, set, entry.getKey(), entry.getValue()));
    }
    statement.execute(
        "UPDATE %s SET newest_micros = greatest(newest_micros, %s)%s"
            .formatted(RollupCatalog.SETS, SqlTime.micros(newest), which));
  }
}
