package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.gateways.GatewaysConfig;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.remote.StoreServer;
import io.millrace.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** History of gateways is summed separately from live records, also across a restart. */
class GatewayHistoryIT {
  private static final String HISTORY =
      "SELECT gateway, tx, rx, records FROM gateway_history ORDER BY day";

  @TempDir private Path dir;
  private final long past =
      Instant.now().truncatedTo(ChronoUnit.DAYS).minus(100, ChronoUnit.DAYS).toEpochMilli();

  private MillraceConfig config() {
    GatewaysConfig gateways = GatewaysConfig.defaults().withEnabled(true).withSlots(2);
    return Instances.config(dir)
        .withSection(IngestConfig.OFF.withListen(StoreServer.anyLocalPort()))
        .with(new GatewaysPipeline(gateways));
  }

  private static void send(Millrace to, long millis, boolean isHistory) throws Exception {
    String record =
        "{\"gateway_id\": \"gw-1\", \"date\": %d, \"ipTx\": 3, \"ipRx\": 4}".formatted(millis);
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(
                    to.ingest().orElseThrow().url()
                        + "/ingest/gateways?form=counter&backfill="
                        + isHistory))
            .POST(HttpRequest.BodyPublishers.ofString(record))
            .build();
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
  }

  private static void await(Millrace millrace, String sql, String... rows) {
    Await.until(sql, () -> Instances.rows(millrace.store(), sql).equals(List.of(rows)));
  }

  @Test
  void historyHasItsOwnTotalsAndIsInTheSumOfAllDays() throws Exception {
    try (Millrace millrace = new Millrace(config())) {
      millrace.start();
      send(millrace, Instant.now().toEpochMilli(), false);
      await(millrace, "SELECT gateway, tx, dropped FROM gateway_days", "gw-1 3 0");
      send(millrace, past, false); // not as history
      await(millrace, "SELECT gateway, tx, dropped FROM gateway_days", "gw-1 3 1");
      Await.until(
          "the doctor's word",
          () ->
              millrace.facts().problems().stream()
                  .anyMatch(line -> line.contains("1 records were dropped")));
      send(millrace, past, true);
      send(millrace, past + 60_000, true);
      send(millrace, past + 60_000, true); // the same again
      await(millrace, HISTORY, "gw-1 6 8 2");
    }
    try (Millrace again = new Millrace(config())) {
      again.start();
      send(again, past + 120_000, true);
      await(again, HISTORY, "gw-1 9 12 3");
      await(
          again,
          "SELECT gateway, tx, records FROM gateway_all_days ORDER BY day",
          "gw-1 9 3",
          "gw-1 3 1");
    }
  }
}
