package io.millrace.lab.topn;

import io.millrace.store.SqlLiteral;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.iceberg.TableCatalog;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Copies stored columns of a table of flows into one Parquet file. */
final class ParquetCopy {
  private ParquetCopy() {}

  /**
   * Copies all committed rows.
   *
   * @param columns as stored; addresses become 64-bit numbers, so that only IPv4 fits
   * @param parquet the file to write
   * @throws StoreException if a column is missing, or the file cannot be written
   */
  static void write(DuckDbStore store, String table, List<String> columns, Path parquet) {
    List<String> list =
        columns.stream()
            .map(Catalog::quoted)
            .map(name -> name.endsWith("_addr\"") ? name + "::UHUGEINT::UBIGINT AS " + name : name)
            .toList();
    Path files = store.backUp().resolve(TableCatalog.DIRECTORY).resolve(table).resolve("data");
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      for (String setting : Connections.IN_UTC) {
        statement.execute(setting);
      }
      statement.execute(
          "COPY (SELECT %s FROM read_parquet(%s, union_by_name = true)) TO %s (FORMAT parquet)"
              .formatted(
                  String.join(", ", list),
                  SqlLiteral.of(files.resolve("*/*.parquet").toString()),
                  SqlLiteral.of(parquet.toString())));
    } catch (SQLException e) {
      throw new StoreException(
          "cannot copy " + table + " to " + parquet + ": " + e.getMessage(), e);
    } finally {
      store.dropBackup();
    }
  }
}
