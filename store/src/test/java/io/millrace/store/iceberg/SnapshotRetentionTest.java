package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SnapshotRetentionTest {
  /** Queries that began just before the replacement still read it. */
  @Test
  void aSnapshotThatWasReplacedAfterTheDeadlineStays() {
    // committed at 10, replaced at 90
    assertThat(SnapshotRetention.expireBefore(LongStream.of(10, 90), 50)).hasValue(10);
  }

  @Test
  void snapshotsReplacedBeforeTheDeadlineExpire() {
    assertThat(SnapshotRetention.expireBefore(LongStream.of(10, 20, 50, 60), 50)).hasValue(50);
    assertThat(SnapshotRetention.expireBefore(LongStream.of(10, 20), 50)).hasValue(20);
  }

  @Test
  void nothingExpiresBeforeTheFirstDeadline() {
    assertThat(SnapshotRetention.expireBefore(LongStream.of(60), 50)).isEmpty();
    assertThat(SnapshotRetention.expireBefore(LongStream.of(), 50)).isEmpty();
  }
}
