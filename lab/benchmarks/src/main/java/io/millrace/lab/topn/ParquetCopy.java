package io.millrace.lab.topn;

import io.millrace.store.SqlLiteral;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.Connections;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Copies stored columns of a table of flows into a Parquet file, from a store that is closed. */
final class ParquetCopy {
  private ParquetCopy() {}

  /**
   * Copies all rows.
   *
   * @param directory of the store
   * @param table of flows
   * @param columns as they are stored; addresses become numbers of 64 bits, so that IPv4 alone fits
   * @param parquet the file to write
   * @throws StoreException if the store is open, or a column or the file cannot be
   */
  static void write(Path directory, String table, List<String> columns, Path parquet) {
    List<String> list =
        columns.stream()
            .map(Catalog::quoted)
            .map(name -> name.endsWith("_addr\"") ? name + "::UBIGINT AS " + name : name)
            .toList();
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      for (String setting : Connections.IN_UTC) {
        statement.execute(setting);
      }
      statement.execute(
          "ATTACH %s AS %s (READ_ONLY)"
              .formatted(
                  SqlLiteral.of(directory.resolve(DuckDbStore.FILE_NAME).toString()),
                  Catalog.DATABASE));
      statement.execute(
          "COPY (SELECT %s FROM %s) TO %s (FORMAT parquet)"
              .formatted(
                  String.join(", ", list), Catalog.rows(table), SqlLiteral.of(parquet.toString())));
    } catch (SQLException e) {
      throw new StoreException(
          "cannot copy " + table + " to " + parquet + ": " + e.getMessage(), e);
    }
  }
}
