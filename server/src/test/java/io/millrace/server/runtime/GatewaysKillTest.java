package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.ChildProcess;
import io.millrace.server.replay.Replay;
import io.millrace.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process is killed repeatedly while records arrive, some of which are resent after each kill.
 * Totals equal those of a plain calculation over all records.
 */
class GatewaysKillTest {
  private static final int KILLS = Boolean.getBoolean("millrace.long") ? 4 : 1;
  private static final int MAX_MILLIS_UP = 3_000;

  /** Number of records resent after each kill: more than are kept per gateway. */
  private static final int AGAIN = 1_000;

  private static final String ROWS =
      "SELECT day::DATE, gateway, tx, rx, seconds, records FROM gateway_days ORDER BY 1, 2";

  @TempDir private Path dir;
  private final Random random = new Random(20_260_301);
  private long sent;

  @Test
  void totalsAreExactOverKills() throws Exception {
    for (int life = 0; life < KILLS; life++) {
      live();
    }
    try (Millrace last = new Millrace(KilledGateways.config(dir))) {
      last.start();
      long end = sent + 5 * AGAIN;
      new GatewaySender(last.bootstrapServers()).send(Math.max(0, sent - AGAIN), end);
      List<String> expected = GatewaySender.expected(end);
      Await.until("the last totals", () -> Instances.rows(last.store(), ROWS).equals(expected));

      assertThat(Instances.rows(last.store(), ROWS)).isEqualTo(expected);
      assertThat(Instances.number(last.store(), "SELECT count(*) FROM gateway_top WHERE rank = 1"))
          .isEqualTo(
              Instances.number(last.store(), "SELECT count(DISTINCT day) FROM gateway_days"));
      assertThat(Instances.number(last.store(), "SELECT sum(late) FROM gateway_days")).isPositive();
      assertThat(top(last)).contains("\"rank\":1,\"gateway\":\"gateway-");
      Replay replay =
          last.replays().start("gateways", Instant.EPOCH, Instant.now().plusSeconds(60));
      Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
      assertThat(replay.failure()).isNull();
      String again = ROWS.replace("gateway_days", replay.name() + "_gateway_days");
      assertThat(Instances.rows(last.store(), again)).isEqualTo(expected);
      Await.until(
          "intervals that are over",
          () -> Instances.number(last.store(), "SELECT count(*) FROM gateway_intervals") > 0);
    }
  }

  private static String top(Millrace millrace) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(millrace.url() + "/api/v1/gateways/top?n=3")).build();
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  private void live() throws Exception {
    try (ChildProcess process =
        KilledInstance.spawn(
            KilledGateways.class,
            List.of(dir.toString(), Long.toString(Math.max(0, sent - AGAIN))))) {
      int upMillis = 500 + random.nextInt(MAX_MILLIS_UP);
      boolean isTimed = false;
      for (String line = process.readLine(); line != null; line = process.readLine()) {
        if (line.startsWith("sent ")) {
          sent = Math.max(sent, Long.parseLong(line.substring(5)));
          if (!isTimed) {
            isTimed = true;
            CompletableFuture.delayedExecutor(upMillis, TimeUnit.MILLISECONDS)
                .execute(process::kill);
          }
        }
      }
      assertThat(process.status()).as("killed, not failed").isEqualTo(ChildProcess.KILLED);
    }
  }
}
