package io.millrace.server.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.alerts.AlertKind;
import io.millrace.pipelines.alerts.AlertSource;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AlertHistoryTest {
  private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");

  @TempDir Path dir;

  private DuckDbStore store;
  private final List<String> windows = new ArrayList<>();

  @BeforeEach
  void open() {
    store = new DuckDbStore(dir, StoreConfig.defaults());
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Adds a one-minute window that reports a key. */
  private void window(int minute, String kind, String key, long value, String baseline) {
    long start = NOON.plus(Duration.ofMinutes(minute)).getEpochSecond();
    windows.add(
        "(make_timestamp(%1$d000000), '%2$s', 'source', '%3$s', 'bytes', %4$d::BIGINT, %5$s::BIGINT, 0.25, make_timestamp(%1$d000000 + 59999999))"
            .formatted(start, kind, key, value, baseline));
  }

  private List<String> found(int from, int to, Set<AlertKind> kinds, String key, int n) {
    return found(from, to, kinds, key, n, false);
  }

  private List<String> found(
      int from, int to, Set<AlertKind> kinds, String key, int n, boolean isBegun) {
    AlertSource source =
        new AlertSource(
            List.of(AlertKind.values()),
            "SELECT * FROM (VALUES "
                + String.join(", ", windows)
                + ") AS t(time, kind, \"by\", key, measure, value, baseline, share, until)");
    AlertHistory history = new AlertHistory(store, List.of(source), Duration.ofMinutes(3));
    return history
        .find(
            new AlertQuery(
                NOON.plus(Duration.ofMinutes(from)),
                NOON.plus(Duration.ofMinutes(to)),
                kinds,
                Optional.ofNullable(key),
                n,
                isBegun))
        .stream()
        .map(
            alert ->
                "%s %s %d-%d of %d: %d from %s"
                    .formatted(
                        alert.kind(),
                        alert.key(),
                        minute(alert.firstMicros()),
                        minute(alert.lastMicros() + 1),
                        alert.windows(),
                        alert.peak(),
                        alert.baseline()))
        .toList();
  }

  private List<String> found(int from, int to) {
    return found(from, to, EnumSet.allOf(AlertKind.class), null, 100);
  }

  private static long minute(long micros) {
    return (micros - NOON.getEpochSecond() * 1_000_000) / 60_000_000;
  }

  @Test
  void windowsOfAKeyFormOneAlertUntilResolved() {
    window(0, "hitter", "a", 10, "2");
    window(1, "hitter", "a", 30, "10");
    window(5, "hitter", "a", 20, "NULL"); // three minutes without one
    window(9, "hitter", "a", 40, "NULL"); // and after three more
    window(13, "hitter", "a", 50, "7");
    window(17, "changer", "a", 60, "7");
    window(17, "hitter", "b", 5, "NULL");
    assertThat(found(0, 60))
        .containsExactly(
            "changer a 17-18 of 1: 60 from 7",
            "hitter b 17-18 of 1: 5 from null",
            "hitter a 0-14 of 5: 50 from 2");
    windows.remove(2);
    assertThat(found(0, 60))
        .containsExactly(
            "changer a 17-18 of 1: 60 from 7",
            "hitter b 17-18 of 1: 5 from null",
            "hitter a 9-14 of 2: 50 from null",
            "hitter a 0-2 of 2: 30 from 2");
  }

  @Test
  void decreasesPeakAtTheirMinimum() {
    window(0, "trend", "a", 50, "100");
    window(1, "trend", "a", 20, "100");
    window(2, "trend", "a", 90, "100");
    assertThat(found(0, 60)).containsExactly("trend a 0-3 of 3: 20 from 100");
  }

  @Test
  void anAlertThatExtendsIntoTheRangeKeepsItsStart() {
    window(0, "hitter", "a", 10, "NULL");
    window(1, "hitter", "a", 10, "NULL");
    window(2, "hitter", "b", 10, "NULL");
    window(3, "hitter", "c", 10, "NULL");
    assertThat(found(1, 3))
        .containsExactly("hitter b 2-3 of 1: 10 from null", "hitter a 0-2 of 2: 10 from null");
  }

  @Test
  void earlierAlertsAreOmittedIfOnlyBegunOnesAreRequested() {
    window(0, "hitter", "a", 10, "NULL");
    window(4, "hitter", "a", 10, "NULL"); // three minutes later
    window(4, "hitter", "b", 10, "NULL");
    window(0, "hitter", "c", 10, "NULL");
    window(5, "hitter", "c", 10, "NULL"); // four minutes later
    assertThat(found(4, 60, EnumSet.allOf(AlertKind.class), null, 100, true))
        .containsExactly("hitter c 5-6 of 1: 10 from null", "hitter b 4-5 of 1: 10 from null");
  }

  @Test
  void filtersByKindKeyAndNumber() {
    window(0, "hitter", "192.0.2.1 192.0.2.2", 10, "NULL");
    window(1, "changer", "192.0.2.1", 10, "NULL");
    window(2, "hitter", "192.0.2.11", 10, "NULL");
    window(3, "hitter", "it''s", 10, "NULL");
    assertThat(found(0, 60, EnumSet.of(AlertKind.CHANGER), null, 100))
        .containsExactly("changer 192.0.2.1 1-2 of 1: 10 from null");
    assertThat(found(0, 60, EnumSet.allOf(AlertKind.class), "192.0.2.1", 100))
        .containsExactly(
            "changer 192.0.2.1 1-2 of 1: 10 from null",
            "hitter 192.0.2.1 192.0.2.2 0-1 of 1: 10 from null");
    assertThat(found(0, 60, EnumSet.allOf(AlertKind.class), "it's", 100)).hasSize(1);
    assertThat(found(0, 60, EnumSet.allOf(AlertKind.class), null, 2))
        .containsExactly(
            "hitter it's 3-4 of 1: 10 from null", "hitter 192.0.2.11 2-3 of 1: 10 from null");
  }
}
