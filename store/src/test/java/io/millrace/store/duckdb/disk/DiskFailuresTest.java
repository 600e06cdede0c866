package io.millrace.store.duckdb.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class DiskFailuresTest {
  @Test
  void aFailedCommitOnAFullDiskIsOfTheDisk() {
    SQLException full =
        new SQLException(
            "TransactionContext Error: Failed to commit: Could not write file \"a.wal\": No space left on device");
    assertThat(DiskFailures.isDiskFailure(full)).isTrue();
    assertThat(DiskFailures.explain(full)).endsWith("storing resumes afterwards");
  }

  @Test
  void aConflictIsNotOfTheDisk() {
    SQLException conflict = new SQLException("TransactionContext Error: Conflict on update!");
    assertThat(DiskFailures.isDiskFailure(conflict)).isFalse();
    assertThat(DiskFailures.explain(conflict)).isEqualTo(conflict.getMessage());
  }
}
