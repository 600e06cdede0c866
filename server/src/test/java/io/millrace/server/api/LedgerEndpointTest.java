package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.server.collect.Doctor;
import io.millrace.server.collect.ExporterKey;
import io.millrace.server.collect.ExporterStats;
import io.millrace.server.collect.JobCounts;
import io.millrace.server.collect.LossLedger;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.RejectReason;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class LedgerEndpointTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long NOW = 1_700_000_000_000_000L;

  private static HttpServer server;

  @BeforeAll
  static void start() throws IOException {
    LossLedger.Report report =
        new LossLedger.Report(
            List.of(
                entry(ExportProtocol.SFLOW, 0, 1, 4, JobCounts.Records.NONE),
                entry(ExportProtocol.NETFLOW5, 2055, 257, 0, JobCounts.Records.NONE),
                entry(
                    ExportProtocol.NETFLOW9,
                    2056,
                    -1,
                    5,
                    new JobCounts.Records(2, 0, 0, 0, 0, 0, 0, 3 * 67, 8)),
                entry(
                    ExportProtocol.IPFIX, 4739, 7, 0, new JobCounts.Records(3, 0, 0, 40, 0, 0, 0))),
            9,
            0);
    Doctor.Facts facts =
        new Doctor.Facts(NOW, List.of("0.0.0.0:2055"), 1 << 20, 1 << 20, true, List.of());
    server =
        new HttpServer(new HttpConfig("127.0.0.1", 0, 2_048))
            .route("GET", "/api/v1/ledger", new LedgerEndpoint(() -> report, () -> facts));
    server.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void everyProtocolIsListedWithItsLosses() throws Exception {
    JsonNode answer = JSON.readTree(ask("").body());
    assertThat(answer.path("adds_up").asBoolean()).isTrue();
    assertThat(answer.path("exporters"))
        .extracting(
            each ->
                String.join(
                    " ",
                    each.path("exporter").asText(),
                    each.path("protocol").asText(),
                    each.path("port").asText(),
                    each.path("part").asText(),
                    each.path("lost_before").asText(),
                    each.path("lost_records").asText(),
                    each.path("templates").asText(),
                    each.path("clock_skew_ms").asText(),
                    each.path("last_seen_ms").asText()))
        .containsExactly(
            "192.0.2.1 sflow 0 1 4 0 0 1500 1700000000000",
            "192.0.2.1 netflow5 2055 257 0 0 0 1500 1700000000000",
            "192.0.2.1 netflow9 2056 4294967295 5 0 2 1500 1700000000000",
            "192.0.2.1 ipfix 4739 7 0 40 3 1500 1700000000000");
    assertThat(answer.path("exporters").get(3).path("findings").get(0).path("cause").asText())
        .isEqualTo("40 flow records missing, by sequence numbers");
  }

  @Test
  void unusedRatesAndRowsThatCountTwiceAreReported() throws Exception {
    JsonNode exporters = JSON.readTree(ask("").body()).path("exporters");
    assertThat(exporters.get(2).path("rejected_rates").toString())
        .isEqualTo("[{\"reason\":\"bad-sampling-algorithm\",\"times\":3,\"rate\":67}]");
    assertThat(exporters.get(2).path("both_sides_rows").asLong()).isEqualTo(8);
    assertThat(exporters.get(3).path("rejected_rates")).isEmpty();
  }

  @Test
  void oneExporterIsChosenByItsWholeName() throws Exception {
    JsonNode answer =
        JSON.readTree(ask("?exporter=192.0.2.1/7%20ipfix%20from%20port%204739").body());
    assertThat(answer.path("exporters")).hasSize(1);
    assertThat(answer.path("doctor").asText()).contains("40 flow records missing");
  }

  @Test
  void anUnknownExporterIsNotFound() throws Exception {
    assertThat(ask("?exporter=192.0.2.9").statusCode()).isEqualTo(404);
  }

  private static HttpResponse<String> ask(String query) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/ledger" + query)).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** An exporter with a hundred received datagrams, and some missing. */
  private static LossLedger.Entry entry(
      ExportProtocol protocol, int port, int part, long missing, JobCounts.Records records) {
    ExporterKey key =
        new ExporterKey(
            0,
            Addresses.v4Low(0xC0000201),
            Addresses.NULL,
            Addresses.NULL,
            Channel.of(protocol, port, part));
    ExporterStats stats =
        new ExporterStats(
            key,
            100 + missing,
            0,
            0,
            0,
            0,
            0,
            100,
            missing,
            0,
            0,
            0,
            0,
            0,
            0,
            100,
            1,
            NOW,
            0,
            1_500_000,
            ExporterStats.Gaps.NONE);
    Map<RejectReason, Long> rejects =
        records.rejectedRates() == 0 ? Map.of() : Map.of(RejectReason.BAD_SAMPLING_ALGORITHM, 3L);
    return new LossLedger.Entry(stats, new JobCounts.Count(100, 0, 900, rejects, records), true);
  }
}
