package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.TreeMap;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TallyJoinsTest {
  private static final int MANY = 20_000;

  private DuckDBConnection connection;
  private Statement statement;

  @BeforeEach
  void create() throws SQLException {
    connection = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    statement = connection.createStatement();
    statement.execute("ATTACH ':memory:' AS " + Catalog.DATABASE);
    statement.execute("CREATE SCHEMA " + Catalog.DATABASE + "." + Catalog.RAW_SCHEMA);
    statement.execute(Tallies.create());
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  /** One sum of one datagram for each of so many senders, the first of them {@code from}. */
  private void append(int from, int senders, long offset) throws SQLException {
    statement.execute(
        ("INSERT INTO %s SELECT 'flows', 0, %d, sender, NULL, 'sflow', 0, 0, 'datagrams', 1, %d"
                + " FROM range(%d, %d) senders(sender)")
            .formatted(Tallies.TABLE, offset, offset, from, from + senders));
  }

  private void join(TallyJoins joins, long below) throws SQLException {
    joins.join(statement, "log_offset < " + below);
  }

  private long number(String select) throws SQLException {
    return SqlRows.number(connection, "SELECT " + select + " FROM " + Tallies.TABLE);
  }

  @Test
  void fewNewSumsDoNotHaveAllTheOthersWrittenAgain() throws SQLException {
    TallyJoins joins = new TallyJoins("flows");
    append(0, MANY, 0);
    join(joins, 1);
    join(joins, 1); // everything, since nothing is known of the table yet
    long first = number("min(rowid)");
    for (int offset = 1; offset <= 100; offset++) {
      append(0, 10, offset);
      append(0, 10, offset);
      join(joins, offset + 1);
    }
    assertThat(number("min(rowid)")).isEqualTo(first);
    assertThat(number("count(*)")).isEqualTo(MANY + 100 * 10);
    assertThat(number("count(DISTINCT sender)")).isEqualTo(MANY);
    assertThat(number("sum(amount)")).isEqualTo(MANY + 100 * 20);
  }

  @Test
  void joinedSumsAreAtMostTwiceAsManyAsNeeded() throws SQLException {
    TallyJoins joins = new TallyJoins("flows");
    TreeMap<Integer, Long> counts = new TreeMap<>();
    for (int offset = 0; offset < 200; offset++) {
      append(0, 1_000, offset);
      join(joins, offset + 1);
      counts.put(offset, number("count(*)"));
    }
    assertThat(counts.values()).allMatch(count -> count <= 2 * 1_000 + 4_096 + 1_000);
    assertThat(number("sum(amount)")).isEqualTo(200 * 1_000);
    assertThat(number("min(log_offset)")).isZero();
  }

  @Test
  void whatIsNotCoveredStaysAsItIs() throws SQLException {
    TallyJoins joins = new TallyJoins("flows");
    append(0, 3, 0);
    append(0, 3, 1);
    append(0, 3, 2);
    join(joins, 2);
    assertThat(number("count(*)")).isEqualTo(6);
    assertThat(number("count(last_offset)")).isEqualTo(3);
    assertThat(number("max(amount)")).isEqualTo(2);
  }
}
