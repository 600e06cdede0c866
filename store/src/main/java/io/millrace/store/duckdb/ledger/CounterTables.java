package io.millrace.store.duckdb.ledger;

import io.millrace.store.StoredCounters;
import io.millrace.store.duckdb.offsets.CoveredRows;
import io.millrace.store.duckdb.schema.AddressValues;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.MemoryShortage;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LedgerQuota;
import io.millrace.wire.block.RejectReason;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * Counters of blocks, stored with the blocks' rows and rewound with them: table {@code
 * raw.tallies}, one row per exporter and kind of count.
 *
 * <p>A writer adds them up between two flushes, separately for each partition of the log, and
 * stores the sums with their first and last offset. That is exact if a rewind goes to a checkpoint,
 * at which all writers were flushed: all values of a sum are on the same side of it. {@link
 * CounterJoins} merges the sums that no rewind can reach any more.
 *
 * <p>If the log was deleted beyond the checkpoint, a rewind goes to the log's new beginning, which
 * may be within a sum. Its later values are replayed, its earlier ones are not, and the sum cannot
 * be split. Such a sum is removed as a whole, so that nothing is counted twice; what is not
 * replayed is in the count of values that the log had deleted. A merged sum stays: a rewind further
 * back than jobs do by themselves counts a few values twice, instead of all of the past as lost.
 *
 * <p>Senders choose the names of exporters, so there may be any number. A writer counts the surplus
 * of a sender together from the start (as {@link Channel#OTHERS} of the address or /64), and the
 * surplus of all without an exporter's name. {@link CounterJoins} keeps fewer permanently.
 *
 * <p>The row without an exporter counts the log's values themselves. An instance belongs to one
 * writer.
 */
public final class CounterTables {
  public static final String TABLE = Catalog.raw("tallies");

  /** SQL of the last offset of a sum; of a merged one the first, since that is never split. */
  public static final String LAST_OFFSET = "coalesce(last_offset, log_offset)";

  private static final int VALUES = ExporterCounters.COUNTS;
  private static final long NULL = Addresses.NULL;
  private static final String VALUES_LABEL = "log-values";

  private static final int MAX_OF_SENDER = 2_000;

  private static final int MOST = 20_000;

  /** Sums of one partition since the last flush. */
  public static final class Sums {
    /** Rejected rows of one value of the log; the value itself is counted with the others. */
    public static Sums ofRejected(int partition, long offset, int rows) {
      Sums sums = new Sums(partition);
      sums.firstOffset = offset;
      sums.lastOffset = offset;
      sums.addUnnamed(ExporterCounters.FIRST_REASON + RejectReason.STORE_REJECTED.ordinal(), rows);
      return sums;
    }

    private void addUnnamed(int count, long amount) {
      int nobody =
          counters.exporter(Addresses.NULL, Addresses.NULL, Addresses.NULL, Addresses.NULL, 0);
      counters.add(nobody, count, amount);
    }

    private final int partition;
    private final ExporterCounters counters = new ExporterCounters();
    private long firstOffset = Long.MAX_VALUE;
    private long lastOffset = Long.MIN_VALUE;
    private long values;

    private final ExporterCounters senders = new ExporterCounters();

    private Sums(int partition) {
      this.partition = partition;
    }

    private int exporter(ExporterCounters from, int i, LedgerQuota quota) {
      long high = from.senderHigh(i);
      long low = from.senderLow(i);
      long senderLow = Addresses.senderLow(high, low);
      long agentHigh = from.agentHigh(i);
      long agentLow = from.agentLow(i);
      long channel = from.channel(i);
      if (counters.find(high, low, agentHigh, agentLow, channel) < 0) {
        boolean isMessage = Channel.protocol(channel) == ExportProtocol.GOFLOW2;
        if (counters.size() >= MOST && !quota.isKnown(high, low)) {
          return counters.exporter(NULL, NULL, NULL, NULL, isMessage ? channel : Channel.UNKNOWN);
        }
        int sender = senders.exporter(high, senderLow, NULL, NULL, Channel.OTHERS);
        if (senders.count(sender, ExporterCounters.DATAGRAMS) >= MAX_OF_SENDER && !isMessage) {
          return counters.exporter(high, senderLow, NULL, NULL, Channel.OTHERS);
        }
        senders.add(sender, ExporterCounters.DATAGRAMS, 1);
      }
      return counters.exporter(high, low, agentHigh, agentLow, channel);
    }
  }

  private final LedgerQuota quota;
  private final Map<Integer, Sums> byPartition = new HashMap<>();

  /**
   * @param quota only its known senders matter here
   */
  public CounterTables(LedgerQuota quota) {
    this.quota = quota;
  }

  public static String create() {
    return "CREATE TABLE IF NOT EXISTS "
        + TABLE
        + "(table_name VARCHAR, log_partition INTEGER, log_offset BIGINT, sender UHUGEINT,"
        + " agent UHUGEINT, protocol VARCHAR, port INTEGER, part BIGINT, count_name VARCHAR,"
        + " amount BIGINT, last_offset BIGINT, first_micros BIGINT, last_micros BIGINT)";
  }

  /** Statements that add missing columns. */
  public static List<String> extend() {
    return Stream.of("last_offset", "first_micros", "last_micros")
        .map(column -> "ALTER TABLE " + TABLE + " ADD COLUMN IF NOT EXISTS " + column + " BIGINT")
        .toList();
  }

  public void add(FlowBlock block) {
    if (block.counters().isPart()) {
      return; // the value is counted with its last block
    }
    Sums sums = byPartition.computeIfAbsent(block.logPartition(), Sums::new);
    sums.values++;
    sums.firstOffset = Math.min(sums.firstOffset, block.logOffset());
    sums.lastOffset = Math.max(sums.lastOffset, block.logOffset());
    ExporterCounters counters = block.counters();
    for (int i = 0; i < counters.size(); i++) {
      int exporter = sums.exporter(counters, i, quota);
      for (int count = 0; count < ExporterCounters.COUNTS; count++) {
        sums.counters.add(exporter, count, counters.count(i, count));
      }
    }
  }

  /** Returns the sums so far and starts new ones. */
  public List<Sums> take() {
    List<Sums> taken = List.copyOf(byPartition.values());
    byPartition.clear();
    return taken;
  }

  /** Stores sums, in the connection's transaction. */
  public static void store(DuckDBConnection connection, String table, List<Sums> sums)
      throws SQLException {
    if (sums.isEmpty()) {
      return;
    }
    long micros = System.currentTimeMillis() * 1_000;
    try (DuckDBAppender rows =
        connection.createAppender(Catalog.DATABASE, Catalog.RAW_SCHEMA, "tallies")) {
      for (Sums one : sums) {
        append(rows, table, one, micros);
      }
      rows.flush(); // close() does not report a failure
    }
  }

  private static void append(DuckDBAppender rows, String table, Sums sums, long micros)
      throws SQLException {
    int partition = sums.partition;
    if (sums.values > 0) {
      rows.beginRow().append(table).append(partition).append(sums.firstOffset);
      rows.appendNull().appendNull().appendNull().appendNull().appendNull();
      rows.append(VALUES_LABEL).append(sums.values).append(sums.lastOffset);
      rows.append(micros).append(micros).endRow();
    }
    ExporterCounters counters = sums.counters;
    for (int i = 0; i < counters.size(); i++) {
      for (int count = 0; count < ExporterCounters.COUNTS; count++) {
        if (counters.count(i, count) != 0) {
          rows.beginRow().append(table).append(partition).append(sums.firstOffset);
          AddressValues.append(rows, counters.senderHigh(i), counters.senderLow(i));
          AddressValues.append(rows, counters.agentHigh(i), counters.agentLow(i));
          long channel = counters.channel(i);
          rows.append(Channel.protocol(channel).label()).append(Channel.port(channel));
          rows.append(Integer.toUnsignedLong(Channel.part(channel)));
          rows.append(ExporterCounters.label(count)).append(counters.count(i, count));
          rows.append(sums.lastOffset).append(micros).append(micros).endRow();
        }
      }
    }
  }

  /**
   * Deletes the sums that a frontier does not cover completely.
   *
   * @param uncovered condition on {@link #LAST_OFFSET}
   */
  public static void rewind(Statement statement, String table, String uncovered)
      throws SQLException {
    statement.execute(
        "DELETE FROM %s WHERE table_name = '%s' AND (%s)".formatted(TABLE, table, uncovered));
  }

  /**
   * Reads all sums of a table, again and again until there is memory for it.
   *
   * @param committed covered log positions: earlier values that no sum contains were skipped
   */
  public static StoredCounters read(
      DuckDBConnection connection, CommitMemory memory, String table, Frontier committed)
      throws SQLException {
    return MemoryShortage.outlast(
        memory,
        () -> SqlRows.snapshot(connection, memory, () -> readAll(connection, table, committed)));
  }

  private static StoredCounters readAll(
      DuckDBConnection connection, String table, Frontier committed) throws SQLException {
    Map<Integer, Long> skipped = skipped(connection, table, committed);
    ExporterCounters counters = new ExporterCounters();
    Map<Integer, Long> covered = new TreeMap<>();
    long values = 0;
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT CASE WHEN count_name = '"
                    + VALUES_LABEL
                    + "' THEN log_partition END, min(log_offset), sender::VARCHAR, agent::VARCHAR,"
                    + " protocol, port, part, count_name, sum(amount)::BIGINT FROM "
                    + TABLE
                    + " WHERE table_name = '"
                    + table
                    + "' GROUP BY ALL")) {
      while (rows.next()) {
        int count = count(rows.getString(8));
        long amount = rows.getLong(9);
        if (count == VALUES) {
          values += amount;
          int partition = rows.getInt(1);
          covered.put(partition, rows.getLong(2) + amount + skipped.getOrDefault(partition, 0L));
        } else if (count >= 0) {
          long[] sender = AddressValues.halves(rows.getString(3));
          long[] agent = AddressValues.halves(rows.getString(4));
          long channel = channel(rows.getString(5), rows.getInt(6), rows.getLong(7));
          int exporter = counters.exporter(sender[0], sender[1], agent[0], agent[1], channel);
          counters.add(exporter, count, amount);
        }
      }
    }
    long holes = skipped.values().stream().mapToLong(Long::longValue).sum();
    return new StoredCounters(counters, values, holes, new Frontier(covered));
  }

  private static Map<Integer, Long> skipped(
      DuckDBConnection connection, String table, Frontier committed) throws SQLException {
    Map<Integer, Long> skipped = new TreeMap<>();
    SqlRows.forEach(
        connection,
        "SELECT log_partition, min(log_offset), sum(amount)::BIGINT FROM %s WHERE table_name = '%s' AND count_name = '%s' AND %s GROUP BY 1"
            .formatted(TABLE, table, VALUES_LABEL, CoveredRows.covers(committed, "log_offset")),
        rows -> {
          int partition = rows.getInt(1);
          long missing = committed.next(partition) - rows.getLong(2) - rows.getLong(3);
          if (missing > 0) {
            skipped.put(partition, missing);
          }
        });
    return skipped;
  }

  /** Count of a label; −1 for a label of another release. */
  private static int count(String label) {
    if (label.equals(VALUES_LABEL)) {
      return VALUES;
    }
    for (int count = 0; count < ExporterCounters.COUNTS; count++) {
      if (ExporterCounters.label(count).equals(label)) {
        return count;
      }
    }
    return -1;
  }

  private static long channel(String protocol, int port, long part) {
    for (ExportProtocol known : ExportProtocol.values()) {
      if (known.label().equals(protocol)) {
        return Channel.of(known, port, (int) part);
      }
    }
    return Channel.UNKNOWN;
  }
}
