package io.millrace.store.duckdb.history;

import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.query.Relation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;

/**
 * Rows of a tiered table, as seen by one transaction. A query with known time bounds selects files:
 * each file of a view costs a quarter of a millisecond, even if none of its rows is in these
 * bounds.
 *
 * @param name name of the view, in the schema of stored tables
 * @param recent SELECT of the rows in the database; null for a table without files
 * @param read SELECT of the rows of files, with {@link #PATHS} in place of their list
 * @param folder folder of the files
 * @param time column that assigns rows to files
 * @param files oldest first
 */
public record TieredRows(
    String name, String recent, String read, String folder, String time, List<HistoryFile> files) {
  /** Placeholder of the list of files in {@link #read}. */
  public static final String PATHS = "@paths";

  /** SELECTs of each table; has a column {@code table_name}. */
  public static final String TABLES = Catalog.raw("history__tables");

  static String create() {
    return "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, stored VARCHAR, recent VARCHAR, files VARCHAR, folder VARCHAR, time_column VARCHAR)"
        .formatted(TABLES);
  }

  /** Reads the state of a table, in the transaction of the connection. */
  public static TieredRows read(DuckDBConnection connection, String table, String name)
      throws SQLException {
    List<TieredRows> found = new ArrayList<>();
    List<HistoryFile> files = TieredTable.files(connection, table, name);
    SqlRows.forEach(
        connection,
        "SELECT recent, files, folder, time_column FROM %s WHERE table_name = '%s' AND stored = '%s'"
            .formatted(TABLES, table, name),
        row ->
            found.add(
                new TieredRows(
                    name,
                    row.getString(1),
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    files)));
    return found.isEmpty() ? new TieredRows(name, null, null, null, null, files) : found.get(0);
  }

  /** All rows in the database and those of selected files. */
  public Relation of(Predicate<HistoryFile> wanted) {
    return files.stream().allMatch(wanted)
        ? Catalog.stored(name)
        : Relation.rendered("(" + select(wanted) + ")");
  }

  /** {@link #of} as SELECT; skips missing files. */
  String select(Predicate<HistoryFile> wanted) {
    String ofFiles = selectFiles(wanted);
    return ofFiles.isEmpty() ? recent : recent + " UNION ALL " + ofFiles;
  }

  /** SELECT of the rows of selected files; empty without files. */
  String selectFiles(Predicate<HistoryFile> wanted) {
    List<HistoryFile> some =
        files.stream().filter(wanted.and(file -> Files.exists(path(file)))).toList();
    if (some.isEmpty()) {
      return "";
    }
    String paths =
        some.stream()
            .map(file -> SqlLiteral.of(path(file).toString()))
            .collect(Collectors.joining(", ", "[", "]"));
    StringBuilder select = new StringBuilder(read.replace(PATHS, paths));
    files.stream()
        .filter(HistoryFile::isCut)
        .mapToLong(HistoryFile::from)
        .max()
        .ifPresent(
            from -> select.append(" WHERE %s >= %s".formatted(time, SqlTime.timestamp(from))));
    return select.toString();
  }

  private Path path(HistoryFile file) {
    return Path.of(folder).resolve(file.name());
  }
}
