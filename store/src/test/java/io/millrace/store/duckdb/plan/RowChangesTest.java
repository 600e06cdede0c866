package io.millrace.store.duckdb.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.duckdb.snapshot.RowChanges;
import io.millrace.store.duckdb.snapshot.StoredRows;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When rows have to be read again. */
class RowChangesTest {
  private final RowChanges changes = new RowChanges();
  private final RollupMemory memory = new RollupMemory(changes);
  private final AtomicInteger readings = new AtomicInteger();

  private StoredRows read(long state) throws SQLException {
    return memory.rows(
        new ReadTransaction(null, state),
        "flows",
        oldest -> new StoredRows(readings.incrementAndGet(), Map.of(), Long.MIN_VALUE));
  }

  @Test
  void eachCommitMakesAnotherState() throws SQLException {
    long before = changes.state();
    changes.during(() -> assertThat(changes.state()).isEqualTo(RowChanges.UNSETTLED));
    assertThat(changes.state()).isNotEqualTo(before).isNotEqualTo(RowChanges.UNSETTLED);
  }

  @Test
  void commitThatFailsEndsToo() {
    assertThatThrownBy(
            () ->
                changes.during(
                    () -> {
                      throw new SQLException("disk full");
                    }))
        .isInstanceOf(SQLException.class);
    assertThat(changes.state()).isNotEqualTo(RowChanges.UNSETTLED);
  }

  @Test
  void rowsOfAStateAreReadOnce() throws SQLException {
    StoredRows first = read(changes.state());
    assertThat(read(changes.state())).isSameAs(first);
  }

  @Test
  void transactionThatBeganBeforeACommitReadsForItself() throws SQLException {
    read(changes.state());
    long before = changes.state();
    changes.during(() -> {});
    StoredRows latest = read(changes.state());
    assertThat(read(before)).isNotSameAs(latest);
    assertThat(read(changes.state())).isSameAs(latest);
  }

  @Test
  void nothingIsKeptOfATransactionThatBeganDuringACommit() throws SQLException {
    AtomicLong during = new AtomicLong();
    changes.during(() -> during.set(changes.state()));
    StoredRows unsure = read(during.get());
    assertThat(read(changes.state())).isNotSameAs(unsure);
    assertThat(readings).hasValue(2);
  }
}
