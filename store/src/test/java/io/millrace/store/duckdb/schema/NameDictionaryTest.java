package io.millrace.store.duckdb.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.Test;

class NameDictionaryTest {
  /** A name that is stored twice would duplicate the rows that have it. */
  @Test
  void aNameIsStoredOnceAfterAFailureWhetherItWasStoredOrNot() throws SQLException {
    try (DuckDBConnection root =
        DriverManager.getConnection("jdbc:duckdb:").unwrap(DuckDBConnection.class)) {
      SqlRows.execute(root, "ATTACH ':memory:' AS millrace");
      SqlRows.execute(root, "CREATE TABLE millrace.main.names(id BIGINT, name VARCHAR)");
      NameDictionary names = new NameDictionary(root, CommitMemory.UNSHARED);
      long one = names.idOf("one.example");
      names.idOf("two.example");
      SqlRows.execute(root, "ALTER TABLE millrace.main.names RENAME TO away");
      assertThatThrownBy(names::flush).isInstanceOf(SQLException.class);
      SqlRows.execute(root, "ALTER TABLE millrace.main.away RENAME TO names");
      SqlRows.execute(root, "INSERT INTO millrace.main.names VALUES (" + one + ", 'one.example')");
      names.flush();
      assertThat(SqlRows.number(root, "SELECT count(*) FROM millrace.main.names")).isEqualTo(2);
      assertThat(SqlRows.number(root, "SELECT count(DISTINCT id) FROM millrace.main.names"))
          .isEqualTo(2);
    }
  }
}
