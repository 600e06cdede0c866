package io.millrace.store.duckdb.sample;

import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.disk.StoredSize;
import io.millrace.store.duckdb.history.TieredTable;
import io.millrace.store.duckdb.offsets.StoredFrontier;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.query.Relation;
import io.millrace.store.query.RollupPlan.SampledRange;
import io.millrace.store.rollup.Grain;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;

/**
 * The stored tables of the sample of a table of flows. Each sampled row is in one of them: in that
 * of the longest bucket that sampled it, or in {@link #OPEN} until its day is closed.
 *
 * <pre>
 *   sample of          rows of
 *   each minute        OPEN + MINUTE + HOUR + DAY
 *   each hour          OPEN          + HOUR + DAY
 *   each day           OPEN                 + DAY
 * </pre>
 *
 * <p>They have the columns of the table of flows, {@link #DRAW}, and the thresholds of each grain
 * that sampled the row.
 */
public enum SampleTables {
  OPEN(null),
  MINUTE(Grain.MINUTE),
  HOUR(Grain.HOUR),
  DAY(Grain.DAY);

  /** Grains that have samples, shortest first. */
  public static final List<Grain> GRAINS = List.of(Grain.MINUTE, Grain.HOUR, Grain.DAY);

  /** Tables of closed days. */
  static final List<SampleTables> FOLDED = List.of(MINUTE, HOUR, DAY);

  static final String DRAW = "sample_draw";

  /**
   * One row per table of flows: {@code table_name}, start of the sample of each grain, end of the
   * closed days, arrival of the newest row; times in microseconds.
   */
  static final String STATE = Catalog.raw("samples__state");

  static final String FRONTIERS = Catalog.raw("samples__frontiers");

  static final String COUNTS = Catalog.raw("samples__counts");

  /** All tables of state; each has a column {@code table_name}. */
  public static final List<String> ALL_STATE = List.of(STATE, FRONTIERS, COUNTS);

  private final Grain grain;

  SampleTables(Grain grain) {
    this.grain = grain;
  }

  /** Longest bucket that sampled its rows; null if not yet known. */
  Grain grain() {
    return grain;
  }

  /** Qualified name of all its rows; for closed days a view. */
  public String stored(String table) {
    return Catalog.raw(unqualified(table));
  }

  /** Qualified name of the table of its rows that are not in files. */
  String recent(String table) {
    return Catalog.raw(recentName(table));
  }

  private String recentName(String table) {
    return this == OPEN ? unqualified(table) : TieredTable.recentName(unqualified(table));
  }

  Relation of(String table) {
    return Catalog.stored(unqualified(table));
  }

  String unqualified(String table) {
    return table + "__sampled__" + name().toLowerCase(Locale.ROOT);
  }

  static List<SampleTables> of(Grain grain) {
    return Stream.of(values()).filter(each -> each.has(grain)).toList();
  }

  static List<SampleTables> of(SampledRange sampled) {
    return sampled.tables().stream().map(SampleTables::valueOf).toList();
  }

  List<Grain> grains() {
    return GRAINS.stream().filter(this::has).toList();
  }

  private boolean has(Grain sampled) {
    return grain == null || grain.compareTo(sampled) >= 0;
  }

  static String bytes(Grain grain) {
    return "sample_" + grain.label() + "_bytes";
  }

  static String packets(Grain grain) {
    return "sample_" + grain.label() + "_packets";
  }

  static List<String> thresholds() {
    return GRAINS.stream()
        .flatMap(grain -> List.of(bytes(grain), packets(grain)).stream())
        .toList();
  }

  /** Statements that create missing tables of state. */
  public static List<String> create() {
    return List.of(
        "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, minute_from BIGINT, hour_from BIGINT, day_from BIGINT, folded BIGINT, newest BIGINT)"
            .formatted(STATE),
        "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, hour BIGINT, rows BIGINT)"
            .formatted(COUNTS),
        StoredFrontier.create(FRONTIERS));
  }

  /** Creates the tables, or adds new columns of the table of flows. */
  public static void open(DuckDBConnection connection, String table, FlowLayout layout)
      throws SQLException {
    List<String> definitions = new ArrayList<>();
    layout.columns().forEach(column -> definitions.add(column.definition()));
    definitions.add(DRAW + " FLOAT");
    thresholds().forEach(threshold -> definitions.add(threshold + " DOUBLE"));
    for (SampleTables each : values()) {
      SqlRows.execute(
          connection,
          "CREATE TABLE IF NOT EXISTS %s(%s)"
              .formatted(each.recent(table), String.join(", ", definitions)));
      Set<String> there = Catalog.columns(connection, each.recentName(table)).keySet();
      for (FlowLayout.Column column : layout.columns()) {
        if (!there.contains(column.name())) {
          SqlRows.execute(
              connection,
              "ALTER TABLE " + each.recent(table) + " ADD COLUMN " + column.definition());
        }
      }
    }
  }

  /** Approximate bytes on disk. */
  public static double bytes(DuckDBConnection connection, String table) throws SQLException {
    double bytes = 0;
    for (SampleTables each : values()) {
      bytes += StoredSize.bytes(connection, each.recent(table));
    }
    return bytes
        + SqlRows.number(
            connection,
            "SELECT coalesce(sum(bytes), 0)::BIGINT FROM %s WHERE table_name = '%s' AND stored IN (%s)"
                .formatted(
                    TieredTable.FILES,
                    table,
                    FOLDED.stream()
                        .map(each -> SqlLiteral.of(each.unqualified(table)))
                        .collect(Collectors.joining(", "))));
  }

  /** Statements that drop the sample of a table and its state. */
  public static List<String> drop(String table) {
    List<String> statements = new ArrayList<>();
    statements.add("DROP VIEW IF EXISTS " + Catalog.main(SampleView.name(table)));
    FOLDED.forEach(each -> statements.add("DROP VIEW IF EXISTS " + each.stored(table)));
    for (SampleTables each : values()) {
      statements.add("DROP TABLE IF EXISTS " + each.recent(table));
      statements.add(
          "DELETE FROM %s WHERE table_name = '%s' AND stored = '%s'"
              .formatted(TieredTable.FILES, table, each.unqualified(table)));
    }
    ALL_STATE.forEach(
        state -> statements.add("DELETE FROM " + state + " WHERE table_name = '" + table + "'"));
    return statements;
  }
}
