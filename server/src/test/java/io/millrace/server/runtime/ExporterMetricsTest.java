package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.collect.ExporterKey;
import io.millrace.server.collect.ExporterStats;
import io.millrace.server.collect.JobCounts;
import io.millrace.server.collect.LossLedger;
import io.millrace.server.metrics.MetricsText;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExporterMetricsTest {
  @Test
  void seriesAreLimitedAddUpAndKeepTheLongestSeen() {
    List<LossLedger.Entry> entries = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      entries.add(entry(ExporterKey.unknown(0, Addresses.v4Low(0x0B000000 + i)), 3, 10));
    }
    entries.add(entry(ExporterKey.unknown(0, Addresses.v4Low(0x0A000001)), 5, 1_000_000));
    entries.add(entry(ExporterKey.OTHERS, 7, 2_000_000));
    MetricsText out = new MetricsText();
    MetricsReport.exporters(out, entries);
    List<String> sent =
        out.toString()
            .lines()
            .filter(line -> line.startsWith("millrace_exporter_datagrams"))
            .toList();
    assertThat(sent).hasSize(1_001);
    assertThat(sent).anyMatch(line -> line.contains("\"10.0.0.1\"") && line.endsWith(" 5"));
    assertThat(sent).filteredOn(line -> line.contains("\"others\"")).hasSize(1);
    assertThat(
            sent.stream()
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum())
        .isEqualTo(20_000 * 3 + 5 + 7);
  }

  @Test
  void portsAndDomainsOfADeviceAreOneSeriesWithItsAddressAndProtocol() {
    long low = Addresses.v4Low(0xC0000201);
    List<LossLedger.Entry> entries = new ArrayList<>();
    for (int port = 5_000; port < 5_003; port++) {
      long channel = Channel.of(ExportProtocol.NETFLOW5, port, port % 2);
      entries.add(
          entry(
              new ExporterKey(0, low, Addresses.NULL, Addresses.NULL, channel),
              4,
              1_000_000L * port));
    }
    MetricsText out = new MetricsText();
    MetricsReport.exporters(out, entries);
    assertThat(out.toString().lines().filter(line -> !line.startsWith("#")))
        .containsExactly(
            "millrace_exporter_datagrams_total{exporter=\"192.0.2.1\",protocol=\"netflow5\"} 12",
            "millrace_exporter_lost_total{exporter=\"192.0.2.1\",protocol=\"netflow5\"} 0",
            "millrace_exporter_rows_total{exporter=\"192.0.2.1\",protocol=\"netflow5\"} 0",
            "millrace_exporter_last_seen_seconds{exporter=\"192.0.2.1\",protocol=\"netflow5\"} 5002.000001");
  }

  private static LossLedger.Entry entry(ExporterKey key, long sent, long seenMicros) {
    ExporterStats stats =
        new ExporterStats(
            key,
            sent,
            0,
            0,
            0,
            0,
            0,
            sent,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            sent,
            1,
            1 + seenMicros,
            0,
            0,
            ExporterStats.Gaps.NONE);
    return new LossLedger.Entry(stats, new JobCounts.Count(sent, 0, 0, Map.of()), true);
  }
}
