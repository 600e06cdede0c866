package io.millrace.cli.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.DataVersion;
import io.millrace.server.runtime.Millrace;
import io.millrace.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** This release opens data, state and configuration of all earlier releases and of itself. */
class UpgradeIT {
  @TempDir Path data;

  static List<GoldenDirectory> releases() throws IOException {
    return GoldenDirectory.all();
  }

  @ParameterizedTest
  @MethodSource("releases")
  void continuesTheDirectoryOfARelease(GoldenDirectory golden) throws IOException {
    golden.unpack(data);
    long before = (long) GoldenDirectory.ROUNDS * GoldenTraffic.ROWS;
    try (Millrace millrace = new Millrace(golden.config(data));
        GoldenTraffic traffic = new GoldenTraffic(GoldenDirectory.ROUNDS)) {
      millrace.start();
      assertThat(DataVersion.read(data)).contains(DataVersion.CURRENT);
      assertThat(millrace.job().restored()).as("checkpoint").isPresent();
      GoldenDirectory.awaitCheckpoint(millrace, before);
      assertThat(golden.found(millrace)).isEqualTo(golden.expected());

      traffic.send(millrace);
      GoldenDirectory.awaitCheckpoint(millrace, before + GoldenTraffic.ROWS);
      long datagrams = (GoldenDirectory.ROUNDS + 1L) * GoldenTraffic.DATAGRAMS;
      // IPFIX is among them: the template is in the state of the job.
      assertThat(GoldenDirectory.ledger(millrace))
          .hasSize(2)
          .allSatisfy(
              exporter ->
                  assertThat(exporter)
                      .contains(": sent " + datagrams + ", stored " + datagrams + " in ")
                      .endsWith(" rows, lost 0"));
      assertHittersAreOfAllRows(millrace, traffic);
      GoldenDirectory.sendGateway(millrace, 2, 1_700);
      Await.until(
          "what the gateway has sent since its last value",
          () ->
              GoldenDirectory.rows(millrace, GoldenDirectory.GATEWAYS)
                  .equals(List.of("gw-1 700 3")));
    }
  }

  /** The few keys are counted exactly, so their sums would show the loss of an epoch's state. */
  private static void assertHittersAreOfAllRows(Millrace millrace, GoldenTraffic traffic)
      throws IOException {
    String epochs = "SELECT count(DISTINCT epoch) FROM hitters";
    long reported = number(millrace, epochs);
    Await.until(
        "the epochs that were open",
        () -> {
          send(millrace, traffic);
          return number(millrace, epochs) >= reported + 2;
        });
    assertThat(millrace.awaitDrained(Duration.ofMinutes(1))).isTrue();
    assertThat(number(millrace, GoldenDirectory.HITTERS_WITHOUT_ROWS)).isZero();
  }

  private static void send(Millrace millrace, GoldenTraffic traffic) {
    try {
      traffic.send(millrace);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long number(Millrace millrace, String sql) {
    return Long.parseLong(GoldenDirectory.rows(millrace, sql).get(0));
  }

  /**
   * Not a test: {@code ./millrace test cli --only -Dtest='UpgradeIT#writes*' -Dmillrace.golden}.
   */
  @Test
  @EnabledIfSystemProperty(named = "millrace.golden", matches = "true")
  void writesTheDirectoryOfThisRelease() throws IOException {
    GoldenDirectory golden = GoldenDirectory.of(DataVersion.CURRENT.release());
    golden.write(data);
    assertThat(golden.expected()).contains("\nledger\n  ");
  }
}
