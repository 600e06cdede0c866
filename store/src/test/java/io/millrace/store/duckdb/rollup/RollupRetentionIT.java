package io.millrace.store.duckdb.rollup;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.Flows;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.store.rollup.StoredRollup;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Expired buckets are removed in few transactions, none of which removes too many. */
class RollupRetentionIT {
  private static final Duration KEPT = Duration.ofHours(2);

  private RolledFlows flows;
  private RollupTransactions transactions;

  @BeforeEach
  void open() throws SQLException {
    flows = new RolledFlows(3, 3_000, false, RollupConfig.DEFAULT);
    flows.append(1_000);
    transactions = new RollupTransactions(flows.root.duplicate(), CommitMemory.UNSHARED, "flows");
  }

  @AfterEach
  void close() throws SQLException {
    transactions.close();
    flows.close();
  }

  private RollupRetention retention(long maxSums) {
    RollupHistory history =
        new RollupHistory(
            transactions, "flows", FlowLayout.of(FlowPart.RECORDS, Flows.SCHEMA), flows.history());
    return new RollupRetention(
        transactions,
        new RollupFolder("flows", RollupConfig.DEFAULT.keep(), Accounting.SPREAD, history),
        history,
        new RollupConfig.Retention(KEPT, Duration.ofDays(366), Duration.ofDays(366)),
        "flows",
        maxSums,
        () -> Long.MAX_VALUE);
  }

  private interface Stored {
    String of(String table, String set, Grain grain);
  }

  private long old(Stored stored) throws SQLException {
    long old = 0;
    for (StoredRollup set : transactions.catalog().sets()) {
      long hour = Grain.HOUR.bucket(set.newest());
      old += sums(stored, set, hour - KEPT.toSeconds() * 1_000_000);
    }
    return old;
  }

  private long sums(Stored stored, StoredRollup set, long before) throws SQLException {
    return SqlRows.number(
        flows.root,
        "SELECT count(*) FROM %s WHERE epoch_us(bucket) < %d"
            .formatted(stored.of("flows", set.set().name(), Grain.MINUTE), before));
  }

  @Test
  void twoDaysOfMinutesAreRemovedAtOnce() throws SQLException {
    assertThat(old(RollupCatalog::stored)).isGreaterThan(2_000);
    assertThat(old(RollupCatalog::recent)).isPositive(); // late rows; the others are in files
    assertThat(retention(RollupRetention.MAX_SUMS).step(transactions.catalog())).isFalse();
    assertThat(old(RollupCatalog::stored)).isZero();
    assertThat(sums(RollupCatalog::stored, transactions.catalog().sets().get(0), Long.MAX_VALUE))
        .isPositive();
  }

  @Test
  void noTransactionExceedsItsLimit() throws SQLException {
    int most = 200;
    RollupRetention retention = retention(most);
    long before = old(RollupCatalog::recent);
    int sets = transactions.catalog().sets().size();
    int steps = 1;
    while (retention.step(transactions.catalog())) {
      long left = old(RollupCatalog::recent);
      assertThat(before - left).isBetween(1L, (long) most * sets);
      before = left;
      steps++;
    }
    assertThat(old(RollupCatalog::stored)).isZero();
    assertThat(steps).isGreaterThan(5);
  }
}
