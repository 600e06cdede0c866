package io.millrace.store.duckdb.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.StoredCounters;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.HeldMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LedgerQuota;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeMap;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CounterJoinsIT {
  private static final int MANY = 20_000;
  private static final long IPV4 = 0xFFFF_0000_0000L;

  private LedgerQuota quota = new LedgerQuota(MANY, 2 * MANY, Long.MAX_VALUE);
  private DuckDBConnection connection;
  private Statement statement;

  @BeforeEach
  void create() throws SQLException {
    connection = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    statement = connection.createStatement();
    statement.execute("ATTACH ':memory:' AS " + Catalog.DATABASE);
    statement.execute("CREATE SCHEMA " + Catalog.DATABASE + "." + Catalog.RAW_SCHEMA);
    statement.execute(CounterTables.create());
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  /**
   * Appends one sum of one datagram for each of some senders, of which {@code from} is the first.
   */
  private void append(int from, int senders, long offset) throws SQLException {
    statement.execute(
        ("INSERT INTO %s SELECT 'flows', 0, %d, sender, NULL, 'sflow', 0, 0, 'datagrams', 1, %d,"
                + " 0, 0 FROM range(%d, %d) senders(sender)")
            .formatted(CounterTables.TABLE, offset, offset, from, from + senders));
  }

  private void join(CounterJoins joins, long below) throws SQLException {
    joins.join(statement, "log_offset < " + below, 0);
  }

  private long number(String select) throws SQLException {
    return SqlRows.number(connection, "SELECT " + select + " FROM " + CounterTables.TABLE);
  }

  @Test
  void fewNewSumsDoNotRewriteAllOthers() throws SQLException {
    CounterJoins joins = new CounterJoins("flows", () -> quota);
    append(0, MANY, 0);
    join(joins, 1);
    join(joins, 1); // everything, as the table's size is not known yet
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
  void mergedSumsAreAtMostTwiceAsManyAsNeeded() throws SQLException {
    CounterJoins joins = new CounterJoins("flows", () -> quota);
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
  void sumsAreReadOnceQueriesReleaseTheirMemory() throws SQLException {
    append(0, 3, 0);
    HeldMemory.limit(connection);
    DuckDBConnection other = connection.duplicate();
    HeldMemory held = new HeldMemory(other);
    held.toTheLast(other);
    held.closeWhile(Thread.currentThread(), other);
    StoredCounters read =
        CounterTables.read(connection, CommitMemory.UNSHARED, "flows", Frontier.EMPTY);
    assertThat(read.counts().size()).isEqualTo(3);
  }

  @Test
  void uncoveredSumsStayUnchanged() throws SQLException {
    CounterJoins joins = new CounterJoins("flows", () -> quota);
    append(0, 3, 0);
    append(0, 3, 1);
    append(0, 3, 2);
    join(joins, 2);
    assertThat(number("count(*)")).isEqualTo(6);
    assertThat(number("count(last_offset)")).isEqualTo(3);
    assertThat(number("max(amount)")).isEqualTo(2);
  }

  /** One sum of one datagram of an agent of a sender. */
  private void append(long sender, int agent, long offset, long firstMicros, long lastMicros)
      throws SQLException {
    statement.execute(
        "INSERT INTO %s VALUES ('flows', 0, %d, %d, %d, 'sflow', 0, 0, 'datagrams', 1, %d, %d, %d)"
            .formatted(
                CounterTables.TABLE,
                offset,
                IPV4 + sender,
                agent,
                offset,
                firstMicros,
                lastMicros));
  }

  private void fold(int perSender, int inAll, long keepMicros, long nowMicros) throws SQLException {
    fold(new LedgerQuota(perSender, inAll, keepMicros), nowMicros);
  }

  private void fold(LedgerQuota most, long nowMicros) throws SQLException {
    quota = most;
    statement.execute( // enough rows to merge everything
        "INSERT INTO %s SELECT 'flows', 0, 0, NULL, NULL, NULL, NULL, NULL, 'filler' || i, 1, NULL, 0, 0 FROM range(5000) fillers(i)"
            .formatted(CounterTables.TABLE));
    new CounterJoins("flows", () -> quota).join(statement, "true", nowMicros);
    statement.execute("DELETE FROM " + CounterTables.TABLE + " WHERE count_name <> 'datagrams'");
  }

  @Test
  void senderOfManyAgentsUsesItsOwnQuota() throws SQLException {
    for (int agent = 0; agent < 30; agent++) {
      append(1, agent, agent, agent, agent);
    }
    append(2, 0, 0, 0, 0);
    fold(10, 100, Long.MAX_VALUE, 30);
    assertThat(number("count(*)")).isEqualTo(10 + 1 + 1);
    assertThat(number("sum(amount)")).isEqualTo(31);
    assertThat(number("min(agent) FILTER (sender = %d)".formatted(IPV4 + 1))).isEqualTo(20);
    assertThat(number("sum(amount) FILTER (protocol = 'unknown' AND part = 1)")).isEqualTo(20);
    assertThat(number("any_value(sender) FILTER (part = 1)")).isEqualTo(IPV4 + 1);
    assertThat(number("count(*) FILTER (sender = %d)".formatted(IPV4 + 2))).isEqualTo(1);
  }

  @Test
  void exporterSeenForLongStaysBeforeNewOnes() throws SQLException {
    long now = 10 * LedgerQuota.LONG_MICROS;
    append(1, 77, 0, 0, now - LedgerQuota.LONG_MICROS);
    for (int agent = 0; agent < 30; agent++) {
      append(1, agent, agent, now, now);
    }
    for (int sender = 2; sender < 32; sender++) {
      append(sender, 0, 0, now, now);
    }
    fold(10, 15, Long.MAX_VALUE, now);
    assertThat(number("count(*) FILTER (agent = 77)")).isEqualTo(1);
    assertThat(number("count(*) FILTER (agent IS NOT NULL)")).isEqualTo(15);
    assertThat(number("sum(amount)")).isEqualTo(61);
    assertThat(number("sum(amount) FILTER (sender IS NULL)")).isEqualTo(30 - (15 - 7));
  }

  @Test
  void exportersOfKnownSendersStayDespiteOthers() throws SQLException {
    long now = 10 * LedgerQuota.LONG_MICROS;
    append(1, 77, 0, now - 5, now - 5);
    append(1, 78, 0, now - 5, now - 5);
    for (int sender = 2; sender < 32; sender++) { // sent later, and half of them were seen for long
      append(sender, 0, 0, sender % 2 == 0 ? 0 : now, now);
    }
    Set<LedgerQuota.Sender> known = Set.of(new LedgerQuota.Sender(0, IPV4 + 1));
    fold(new LedgerQuota(10, 12, Long.MAX_VALUE, known), now);
    assertThat(number("count(*) FILTER (sender = %d)".formatted(IPV4 + 1))).isEqualTo(2);
    assertThat(number("count(*) FILTER (agent IS NOT NULL)")).isEqualTo(12);
    fold(new LedgerQuota(10, 1, Long.MAX_VALUE, known), now);
    assertThat(number("count(*) FILTER (sender = %d)".formatted(IPV4 + 1))).isEqualTo(2);
    fold(new LedgerQuota(10, 1, 3, known), now); // silent for longer than exporters are kept
    assertThat(number("count(*) FILTER (agent = 77)")).isZero();
    assertThat(number("sum(amount)")).isEqualTo(32);
  }

  @Test
  void exportersSilentForLongerThanRowsStayAreCountedTogether() throws SQLException {
    append(1, 1, 0, 0, 100);
    append(1, 2, 0, 0, 900);
    append(2, 1, 0, 0, 100);
    fold(10, 100, 500, 1_000);
    assertThat(number("sum(amount) FILTER (part = 1)")).isEqualTo(1);
    assertThat(number("sum(amount) FILTER (sender IS NULL)")).isEqualTo(1);
    assertThat(number("sum(amount)")).isEqualTo(3);
    append(1, 2, 0, 2_000, 2_000);
    fold(10, 100, 500, 5_000); // the sender keeps none: its others join those of all
    assertThat(number("count(*)")).isEqualTo(1);
    assertThat(number("sum(amount) FILTER (sender IS NULL)")).isEqualTo(4);
  }

  @Test
  void addressesOfOneIpv6NetworkAreOneSender() throws SQLException {
    statement.execute(
        ("INSERT INTO %s SELECT 'flows', 0, 0, ('65152'::UHUGEINT << 112) + i::UHUGEINT, NULL,"
                + " 'sflow', 0, 0, 'datagrams', 1, 0, i, i FROM range(30) senders(i)")
            .formatted(CounterTables.TABLE));
    fold(10, 100, Long.MAX_VALUE, 30);
    assertThat(number("count(*)")).isEqualTo(11);
    assertThat(number("sum(amount) FILTER (part = 1)")).isEqualTo(20);
    assertThat(number("(any_value(sender) FILTER (part = 1) >> 64)::UBIGINT >> 48"))
        .isEqualTo(0xFE80);
  }
}
