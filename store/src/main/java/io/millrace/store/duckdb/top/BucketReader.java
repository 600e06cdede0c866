package io.millrace.store.duckdb.top;

import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.plan.RollupPieces;
import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.query.Constant;
import io.millrace.store.query.Dialect;
import io.millrace.store.query.Expr;
import io.millrace.store.query.GroupKeys;
import io.millrace.store.query.Relation;
import io.millrace.store.query.RollupPlan.Piece;
import io.millrace.store.query.Select;
import io.millrace.store.query.Sql;
import io.millrace.store.query.SqlType;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.store.rollup.StoredRollup;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.duckdb.DuckDBConnection;

/** Reads whole buckets of a set into memory, in the transaction of the connection. */
final class BucketReader {
  private static final int FIRST_GROUPS = 1 << 10;

  private static final int KEY = 2;

  private static final Expr START = Expr.column("bucket").micros();

  private final DuckDBConnection connection;
  private final RollupFacts facts;
  private final String table;
  private final StoredRollup kept;
  private final Accounting accounting;

  BucketReader(
      DuckDBConnection connection, RollupFacts facts, StoredRollup kept, Accounting accounting) {
    this.connection = connection;
    this.facts = facts;
    table = facts.table();
    this.kept = kept;
    this.accounting = accounting;
  }

  GroupKeys keys() throws SQLException {
    String hours = table + "__" + kept.set().name() + "_" + Grain.HOUR.label();
    Map<String, String> types = Catalog.columns(connection, hours);
    return new GroupKeys(
        kept.set().columns().stream()
            .map(column -> new GroupKeys.Column(column, SqlType.valueOf(types.get(column))))
            .toList());
  }

  long count(Map<Grain, List<Piece>> pieces) throws SQLException {
    List<Relation> counts = new ArrayList<>();
    for (Map.Entry<Grain, List<Piece>> its : pieces.entrySet()) {
      counts.add(from(List.of(Expr.rendered("count(*)").named("n")), its.getKey(), its.getValue()));
    }
    Expr sum = Expr.call("sum", Expr.column("n")).cast(SqlType.BIGINT);
    return SqlRows.number(
        connection, Select.of(sum).from(Relation.union(counts), "c").in(Dialect.DUCKDB));
  }

  private Select from(List<? extends Sql> items, Grain grain, List<Piece> pieces)
      throws SQLException {
    return Select.of(items)
        .from(facts.buckets(kept, Optional.of(grain), pieces))
        .where(RollupPieces.within(pieces))
        .where(RollupPieces.accounted(accounting));
  }

  Map<Long, CachedBucket> read(CachedSet set, Grain grain, List<Piece> pieces) throws SQLException {
    Map<Long, Sums> sums = new HashMap<>();
    for (Piece piece : pieces) {
      for (long start = piece.from(); start < piece.to(); start += grain.micros()) {
        sums.put(start, new Sums());
      }
    }
    readGroups(set.keys(), sums, grain, pieces);
    for (Piece piece : pieces) {
      if (!facts.dropped(kept, grain, piece.from(), piece.to()).isEmpty()) {
        readRest(sums, grain, pieces);
        break;
      }
    }
    Map<Long, CachedBucket> buckets = new HashMap<>();
    sums.forEach((start, its) -> buckets.put(start, its.bucket(set)));
    return buckets;
  }

  private void readGroups(GroupKeys keys, Map<Long, Sums> sums, Grain grain, List<Piece> pieces)
      throws SQLException {
    long[] key = new long[keys.longs()];
    int next = KEY + key.length;
    SqlRows.forEach(
        connection,
        from(
                Expr.list(
                    List.of(START),
                    keys.select(keys.columnsOf("")),
                    doubles(RollupCatalog.SUMS, column -> column)),
                grain,
                pieces)
            .in(Dialect.DUCKDB),
        rows -> {
          Sums its = sums.get(rows.getLong(1));
          keys.read(rows, KEY, key);
          its.add(
              key,
              rows.getDouble(next),
              rows.getDouble(next + 1),
              rows.getDouble(next + 2),
              rows.getDouble(next + 3),
              rows.getDouble(next + 4));
        });
  }

  private void readRest(Map<Long, Sums> sums, Grain grain, List<Piece> pieces) throws SQLException {
    List<String> columns =
        List.of(
            "rows",
            "scaled_packets",
            "scaled_bytes",
            "bound_rows",
            "bound_scaled_packets",
            "bound_scaled_bytes");
    SqlRows.forEach(
        connection,
        Select.of(Expr.list(List.of(START), doubles(columns, column -> Expr.call("sum", column))))
            .from(RollupCatalog.RESTS)
            .where(Expr.column("table_name").is("=", Expr.text(table)))
            .where(Expr.column("set_name").is("=", Expr.text(kept.set().name())))
            .where(Expr.column("grain").is("=", Expr.text(grain.name())))
            .where(RollupPieces.within(pieces))
            .where(RollupPieces.accounted(accounting))
            .groupBy(1)
            .in(Dialect.DUCKDB),
        rows -> {
          Sums its = sums.get(rows.getLong(1));
          its.restRows = rows.getDouble(2);
          its.restPackets = rows.getDouble(3);
          its.restBytes = rows.getDouble(4);
          its.boundRows = rows.getDouble(5);
          its.boundPackets = rows.getDouble(6);
          its.boundBytes = rows.getDouble(7);
        });
  }

  private static List<Sql> doubles(List<String> columns, UnaryOperator<Expr> value) {
    List<Sql> items = new ArrayList<>();
    for (String column : columns) {
      Expr its = Expr.call("coalesce", value.apply(Expr.column(column)), Constant.ZERO);
      items.add(its.cast(SqlType.DOUBLE));
    }
    return items;
  }

  private static final class Sums {
    private long[] keys = {};
    private double[] rows = {};
    private double[] packets = {};
    private double[] bytes = {};
    private int groups;
    private double unscaledPackets;
    private double unscaledBytes;
    private double restRows;
    private double restPackets;
    private double restBytes;
    private double boundRows;
    private double boundPackets;
    private double boundBytes;

    void add(
        long[] key,
        double itsRows,
        double itsPackets,
        double itsBytes,
        double scaledPackets,
        double scaledBytes) {
      if (groups == rows.length) {
        int room = Math.max(FIRST_GROUPS, groups * 2);
        keys = Arrays.copyOf(keys, room * key.length);
        rows = Arrays.copyOf(rows, room);
        packets = Arrays.copyOf(packets, room);
        bytes = Arrays.copyOf(bytes, room);
      }
      System.arraycopy(key, 0, keys, groups * key.length, key.length);
      rows[groups] = itsRows;
      packets[groups] = scaledPackets;
      bytes[groups] = scaledBytes;
      unscaledPackets += itsPackets;
      unscaledBytes += itsBytes;
      groups++;
    }

    CachedBucket bucket(CachedSet set) {
      return new CachedBucket(
          set.number(keys, groups),
          measured(rows, Arrays.stream(rows, 0, groups).sum(), restRows, boundRows),
          measured(packets, unscaledPackets, restPackets, boundPackets),
          measured(bytes, unscaledBytes, restBytes, boundBytes));
    }

    private CachedBucket.Measures measured(
        double[] scaled, double unscaled, double rest, double bound) {
      double[] its = Arrays.copyOf(scaled, groups);
      return new CachedBucket.Measures(its, Arrays.stream(its).sum(), unscaled, rest, bound);
    }
  }
}
