package io.millrace.store.query;

import io.millrace.store.query.RollupPlan.Piece;
import io.millrace.store.query.RollupPlan.Source;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.StoredRollup;
import io.millrace.store.rollup.StoredRollup.Times;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Splits a time range into the longest buckets that fit, and rows where none does.
 *
 * <pre>
 *   range     a├──────────────────────────────────────────────┤b
 *   day                                                            none fits into this one
 *   hour            ├────────────┼────────────┤                    up to where hours are complete
 *   five         ├──┤                         ├──┼──┤
 *   minute      ├┤                                  ├┼┤
 *   open                                               ├┼┤
 *   rows       ├┤                                         ├┤
 * </pre>
 *
 * <p>Rows that are not rolled up yet may be anywhere in the range. They are no piece: the caller,
 * which builds the SQL, adds those in all time ranges of buckets. Independent of the database.
 */
public final class RollupPlanner {
  private static final List<Source> COARSEST_FIRST = List.of(Source.values());

  /**
   * Times of the stored data, microseconds.
   *
   * @param oldest time of the oldest row or bucket
   * @param newest time of the newest row, which may be removed if it is rolled up
   * @param rowsFrom rows that count before this may have been removed
   */
  public record Extent(long oldest, long newest, long rowsFrom) {}

  /** Facts about the stored tables. */
  public interface Facts {
    /** Starts of the buckets in a time range that dropped groups. */
    SortedSet<Long> dropped(StoredRollup kept, Grain grain, long from, long to) throws SQLException;

    /** Approximate number of groups of a set; the smaller one of two possible sets is used. */
    long size(StoredRollup kept) throws SQLException;
  }

  private final Extent extent;
  private final Facts facts;

  /** Creates a planner over stored data. */
  public RollupPlanner(Extent extent, Facts facts) {
    this.extent = extent;
    this.facts = facts;
  }

  /**
   * The plan with the smallest set; empty if reading rows is better.
   *
   * @param sets sets, some of which may have the columns
   */
  public Optional<RollupPlan> plan(List<StoredRollup> sets, RollupQuery query) throws SQLException {
    List<RollupPlan> plans = new ArrayList<>();
    for (StoredRollup kept : sets) {
      if (kept.set().columns().containsAll(query.columns())) {
        plan(kept, query).ifPresent(plans::add);
      }
    }
    RollupPlan best = null;
    long size = Long.MAX_VALUE;
    for (RollupPlan plan : plans) {
      long its = plans.size() == 1 ? 0 : facts.size(plan.kept());
      if (its < size) {
        best = plan;
        size = its;
      }
    }
    return Optional.ofNullable(best);
  }

  private Optional<RollupPlan> plan(StoredRollup kept, RollupQuery query) throws SQLException {
    return new Levels(kept, query).plan();
  }

  private record Level(Source source, long from, long to) {
    long floor(long micros) {
      return source.grain().bucket(micros);
    }

    long ceil(long micros) {
      return floor(micros + source.grain().micros() - 1);
    }
  }

  private final class Levels {
    private final StoredRollup kept;
    private final RollupQuery query;
    private final List<Level> levels = new ArrayList<>();
    private final List<Piece> pieces = new ArrayList<>();

    Levels(StoredRollup kept, RollupQuery query) {
      this.kept = kept;
      this.query = query;
      Map<Grain, Times> times = new EnumMap<>(kept.times());
      for (Source source : COARSEST_FIRST) {
        if (source == Source.ROWS || !query.takes(source.grain())) {
          continue;
        }
        Times its = times.get(source.grain());
        levels.add(
            source == Source.OPEN // has all groups, even if minutes dropped some
                ? new Level(source, Math.max(openFrom(times), its.from()), Long.MAX_VALUE)
                : new Level(source, its.from(), its.complete()));
      }
    }

    private static long openFrom(Map<Grain, Times> times) {
      return times.get(Grain.HOUR).complete();
    }

    Optional<RollupPlan> plan() throws SQLException {
      if (levels.isEmpty() || extent.newest() == Long.MIN_VALUE) {
        return Optional.empty();
      }
      // Cuts off time without data, in which shorter pieces at the edges would be read for nothing.
      long from = Math.max(query.from(), startOfOldest());
      long to = Math.min(query.to(), Grain.MINUTE.bucket(extent.newest()) + MINUTE);
      if (!query.exact()) {
        from = widenedStart(from);
        to = widenedEnd(Math.max(from, to));
      }
      if (from >= to) {
        return Optional.empty();
      }
      cover(0, from, to);
      RollupPlan plan = new RollupPlan(kept, pieces, query.accounting(), from, to);
      boolean misses =
          pieces.stream()
              .anyMatch(piece -> piece.source() == Source.ROWS && piece.from() < extent.rowsFrom());
      boolean pays = plan.usesBuckets() && plan.rowMicros() <= (to - from) / 2;
      return misses || !pays ? Optional.empty() : Optional.of(plan);
    }

    private long startOfOldest() {
      for (Level level : levels) {
        long start = level.floor(extent.oldest());
        if (level.from <= start && start < level.to) {
          return start;
        }
      }
      return Grain.HOUR.bucket(extent.oldest());
    }

    private void cover(int depth, long from, long to) throws SQLException {
      if (from >= to) {
        return;
      }
      if (depth == levels.size()) {
        addRows(from, to);
        return;
      }
      Level level = levels.get(depth);
      long first = level.ceil(Math.max(from, level.from));
      long end = level.floor(Math.min(to, level.to));
      if (level.to == Long.MIN_VALUE || first >= end) {
        cover(depth + 1, from, to);
        return;
      }
      cover(depth + 1, from, first);
      for (long dropped : dropped(level, first, end)) {
        addBuckets(level, first, dropped);
        first = dropped + level.source.grain().micros();
        cover(depth + 1, dropped, first);
      }
      addBuckets(level, first, end);
      cover(depth + 1, end, to);
    }

    private SortedSet<Long> dropped(Level level, long first, long end) throws SQLException {
      return query.exact() && level.source != Source.OPEN
          ? facts.dropped(kept, level.source.grain(), first, end)
          : new TreeSet<>();
    }

    private void addBuckets(Level level, long from, long to) {
      if (from < to) {
        add(level.source, from, to);
      }
    }

    private void addRows(long from, long to) {
      add(Source.ROWS, from, to);
    }

    private void add(Source source, long from, long to) {
      int last = pieces.size() - 1;
      if (last >= 0 && pieces.get(last).source() == source && pieces.get(last).to() == from) {
        pieces.set(last, new Piece(source, pieces.get(last).from(), to));
      } else {
        pieces.add(new Piece(source, from, to));
      }
    }

    private long widenedStart(long from) {
      if (from >= extent.rowsFrom()) {
        return from;
      }
      long earliest = extent.rowsFrom();
      for (int i = levels.size() - 1; i >= 0; i--) {
        Level level = levels.get(i);
        long start = level.floor(from);
        if (level.from <= start && start < level.to) {
          return start;
        }
        if (level.from > start && level.from < level.to) {
          earliest = Math.min(earliest, level.ceil(level.from));
        }
      }
      return earliest;
    }

    private long widenedEnd(long to) {
      if (to >= extent.rowsFrom()) {
        return to;
      }
      for (int i = levels.size() - 1; i >= 0; i--) {
        Level level = levels.get(i);
        long end = level.ceil(to);
        if (level.from < end && end <= level.to) {
          return end;
        }
      }
      return to;
    }
  }

  private static final long MINUTE = Grain.MINUTE.micros();
}
