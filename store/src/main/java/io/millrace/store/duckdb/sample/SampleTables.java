package io.millrace.store.duckdb.sample;

import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.disk.StoredSize;
import io.millrace.store.duckdb.history.FiledTable;
import io.millrace.store.duckdb.offsets.StoredFrontier;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.query.Relation;
import io.millrace.store.query.RollupPlan.SampledStretch;
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
 * The stored tables of the sample of a table of flows. A sampled row stands in one of them: in that
 * of the longest bucket of whose sample it is, or in {@link #OPEN} while its day is not over.
 *
 * <pre>
 *   sample of          rows of
 *   each minute        OPEN + MINUTE + HOUR + DAY
 *   each hour          OPEN          + HOUR + DAY
 *   each day           OPEN                 + DAY
 * </pre>
 *
 * <p>They have the columns of the table of flows, {@link #DRAW}, and the thresholds of each grain
 * of whose sample the row is.
 */
public enum SampleTables {
  OPEN(null),
  MINUTE(Grain.MINUTE),
  HOUR(Grain.HOUR),
  DAY(Grain.DAY);

  /** Lengths of buckets of which there are samples, the finest first. */
  public static final List<Grain> GRAINS = List.of(Grain.MINUTE, Grain.HOUR, Grain.DAY);

  /** Tables of days that are over. */
  static final List<SampleTables> FOLDED = List.of(MINUTE, HOUR, DAY);

  static final String DRAW = "sample_draw";

  /**
   * A row a table: {@code table_name}, from where on the sample of each grain is kept, before what
   * days are over, and the arrival of the newest row; microseconds.
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

  /** The longest bucket of whose sample its rows are; null where that is not known yet. */
  Grain grain() {
    return grain;
  }

  /** All its rows, in full; of days that are over, a view. */
  public String stored(String table) {
    return Catalog.raw(unqualified(table));
  }

  /** The table of its rows that are in no file, in full. */
  String recent(String table) {
    return Catalog.raw(recentName(table));
  }

  private String recentName(String table) {
    return this == OPEN ? unqualified(table) : FiledTable.recentName(unqualified(table));
  }

  /** The stored table. */
  Relation of(String table) {
    return Catalog.stored(unqualified(table));
  }

  String unqualified(String table) {
    return table + "__sampled__" + name().toLowerCase(Locale.ROOT);
  }

  static List<SampleTables> of(Grain grain) {
    return Stream.of(values()).filter(each -> each.has(grain)).toList();
  }

  static List<SampleTables> of(SampledStretch sampled) {
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

  /** Statements that make the tables of state where they are missing. */
  public static List<String> create() {
    return List.of(
        "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, minute_from BIGINT, hour_from BIGINT, day_from BIGINT, folded BIGINT, newest BIGINT)"
            .formatted(STATE),
        "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, hour BIGINT, rows BIGINT)"
            .formatted(COUNTS),
        StoredFrontier.create(FRONTIERS));
  }

  /** Makes the tables, or adds the columns that the table of flows has got since. */
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

  /** Bytes on disk, about. */
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
                    FiledTable.FILES,
                    table,
                    FOLDED.stream()
                        .map(each -> SqlLiteral.of(each.unqualified(table)))
                        .collect(Collectors.joining(", "))));
  }

  /** Statements that drop the sample of a table with what is known of it. */
  public static List<String> drop(String table) {
    List<String> statements = new ArrayList<>();
    statements.add("DROP VIEW IF EXISTS " + Catalog.main(SampleView.name(table)));
    FOLDED.forEach(each -> statements.add("DROP VIEW IF EXISTS " + each.stored(table)));
    for (SampleTables each : values()) {
      statements.add("DROP TABLE IF EXISTS " + each.recent(table));
      statements.add(
          "DELETE FROM %s WHERE table_name = '%s' AND stored = '%s'"
              .formatted(FiledTable.FILES, table, each.unqualified(table)));
    }
    ALL_STATE.forEach(
        state -> statements.add("DELETE FROM " + state + " WHERE table_name = '" + table + "'"));
    return statements;
  }
}
