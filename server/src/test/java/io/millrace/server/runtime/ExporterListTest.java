package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.collect.ExporterKey;
import io.millrace.server.collect.ExporterStats;
import io.millrace.server.collect.JobCounts;
import io.millrace.server.collect.LossLedger;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExporterListTest {
  private static final long SECOND = 1_000_000_000L;
  private static final ExporterKey SFLOW =
      new ExporterKey(
          0,
          Addresses.v4Low(0xC0000201),
          0,
          Addresses.v4Low(0x0A000001),
          Channel.of(ExportProtocol.SFLOW, 0, 3));
  private static final ExporterKey FIVE = key(ExportProtocol.NETFLOW5, 2055, 257);
  private static final ExporterKey NINE = key(ExportProtocol.NETFLOW9, 2056, -1);
  private static final ExporterKey IPFIX = key(ExportProtocol.IPFIX, 4739, 7);

  @TempDir Path directory;
  private Store store;
  private LossLedger.Report report;
  private ExporterList list;

  @BeforeEach
  void open() throws IOException {
    store = new DuckDbStore(directory, StoreConfig.defaults());
    list = new ExporterList(() -> report, store);
  }

  @AfterEach
  void close() throws IOException {
    list.close();
    store.close();
  }

  @Test
  void everyProtocolHasItsRow() {
    report =
        report(
            entry(SFLOW, 100, 4, 0, 600, JobCounts.Records.NONE),
            entry(FIVE, 200, 0, 25, 3_000, JobCounts.Records.NONE),
            entry(NINE, 300, 5, 0, 5_000, new JobCounts.Records(2, 0, 0, 0, 0, 0, 0)),
            entry(IPFIX, 400, 0, 0, 7_000, new JobCounts.Records(3, 0, 0, 40, 0, 0, 0)));
    list.update(SECOND);
    assertThat(
            rows(
                "exporter, agent, protocol, port, domain, datagrams, rows, lost_datagrams,"
                    + " lost_records, templates"))
        .containsExactly(
            "192.0.2.1 10.0.0.1 sflow 0 3 96 600 4 0 0",
            "192.0.2.2 - netflow5 2055 257 200 3000 0 25 0",
            "192.0.2.2 - netflow9 2056 4294967295 295 5000 5 0 2",
            "192.0.2.2 - ipfix 4739 7 400 7000 0 40 3");
    assertThat(rows("DISTINCT epoch_ms(first_seen), epoch_ms(last_seen), clock_skew_ms"))
        .containsExactly("1700000000000 1700000060000 1500");
  }

  @Test
  void ratesAreSinceThePreviousUpdate() {
    report = report(entry(NINE, 300, 0, 0, 5_000, JobCounts.Records.NONE));
    list.update(SECOND);
    assertThat(rows("datagrams_per_s, rows_per_s")).containsExactly("0.0 0.0");
    report =
        report(
            entry(NINE, 320, 0, 0, 5_500, JobCounts.Records.NONE),
            entry(IPFIX, 7, 0, 0, 70, JobCounts.Records.NONE));
    list.update(6 * SECOND);
    assertThat(rows("protocol, datagrams_per_s, rows_per_s"))
        .containsExactly("netflow9 4.0 100.0", "ipfix 0.0 0.0");
    list.update(16 * SECOND);
    assertThat(rows("protocol, datagrams_per_s, rows_per_s"))
        .containsExactly("netflow9 0.0 0.0", "ipfix 0.0 0.0");
  }

  @Test
  void trafficCountedTwiceIsReportedWhileItLasts() throws IOException {
    JobCounts.Records some = new JobCounts.Records(0, 0, 0, 0, 0, 0, 0, 0, 10);
    JobCounts.Records more = new JobCounts.Records(0, 0, 0, 0, 0, 0, 0, 0, 20);
    report = report(entry(SFLOW, 100, 0, 0, 600, some));
    list.update(SECOND); // before the start, perhaps long ago
    assertThat(list.countedTwice()).isEmpty();
    report = report(entry(SFLOW, 100, 0, 0, 600, more));
    list.update(2 * SECOND);
    assertThat(list.countedTwice()).get().asString().startsWith("traffic of 192.0.2.1");
    for (int i = 0; i < 59; i++) {
      list.update((3 + i) * SECOND);
      assertThat(list.countedTwice()).isPresent();
    }
    list.update(100 * SECOND);
    assertThat(list.countedTwice()).isEmpty();
  }

  @Test
  void othersHaveARowWithoutAnAddress() {
    report = report(entry(ExporterKey.OTHERS, 9, 0, 0, 50, JobCounts.Records.NONE));
    list.update(SECOND);
    assertThat(rows("exporter, agent, protocol, datagrams, rows"))
        .containsExactly("- - unknown 9 50");
  }

  private List<String> rows(String columns) {
    return Instances.rows(store, "SELECT " + columns + " FROM exporters");
  }

  private static ExporterKey key(ExportProtocol protocol, int port, int part) {
    return new ExporterKey(
        0,
        Addresses.v4Low(0xC0000202),
        Addresses.NULL,
        Addresses.NULL,
        Channel.of(protocol, port, part));
  }

  private static LossLedger.Report report(LossLedger.Entry... entries) {
    return new LossLedger.Report(List.of(entries), 0, 0);
  }

  /** An exporter whose datagrams are stored unless missing. */
  private static LossLedger.Entry entry(
      ExporterKey key,
      long sent,
      long missing,
      long lostRecords,
      long rows,
      JobCounts.Records records) {
    long received = sent - missing;
    ExporterStats stats =
        new ExporterStats(
            key,
            sent,
            0,
            0,
            0,
            0,
            0,
            received,
            missing,
            0,
            0,
            0,
            0,
            0,
            0,
            received,
            1_700_000_000_000_000L,
            1_700_000_060_000_000L,
            lostRecords,
            1_500_000,
            ExporterStats.Gaps.NONE);
    return new LossLedger.Entry(
        stats, new JobCounts.Count(received, 0, rows, Map.of(), records), true);
  }
}
