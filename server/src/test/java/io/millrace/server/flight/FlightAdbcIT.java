package io.millrace.server.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * ADBC's driver in Python, in an environment of its own below {@code target}. Skipped where there
 * is no Python, or the driver cannot be had.
 */
class FlightAdbcIT {
  private static final Path ENVIRONMENT = Path.of("target", "adbc");
  private static final Path READY = ENVIRONMENT.resolve("ready");
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final String TOKEN = "0123456789abcdef";

  @TempDir Path directory;

  /** Whether a program is there and succeeds; what it prints goes into the file. */
  private static boolean succeeds(Path output, String... command) throws InterruptedException {
    try (ChildProcess process = ChildProcess.start(output, List.of(command))) {
      return process.awaitEnd(TIMEOUT) && process.status() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private String python() throws IOException, InterruptedException {
    Path python = ENVIRONMENT.resolve("bin").resolve("python").toAbsolutePath();
    Path output = directory.resolve("setup.out");
    if (!Files.exists(READY)) {
      assumeTrue(
          succeeds(output, "python3", "-m", "venv", "--clear", ENVIRONMENT.toString()),
          "no Python with venv here");
      assumeTrue(
          succeeds(
              output,
              python.toString(),
              "-m",
              "pip",
              "install",
              "--quiet",
              "adbc-driver-flightsql==1.13.0",
              "adbc-driver-manager==1.13.0",
              "pyarrow"),
          "ADBC's driver cannot be installed here");
      Files.createFile(READY);
    }
    return python.toString();
  }

  @Test
  void answersAdbc() throws Exception {
    String python = python();
    Path output = directory.resolve("client.out");
    try (FlightInstance instance =
        FlightInstance.start(
            directory.resolve("store"),
            FlightConfig.DEFAULTS.withPort(0),
            FlightInstance.withToken(TOKEN),
            FlightInstance.limits(Duration.ofMinutes(1), 2_000_000))) {
      boolean succeeds =
          succeeds(
              output,
              python,
              script().toString(),
              "grpc://127.0.0.1:" + instance.listener().port(),
              TOKEN,
              "not" + TOKEN);
      assertThat(succeeds).as(Files.readString(output)).isTrue();
    }
    assertThat(Files.readAllLines(output))
        .containsExactly(
            "types string int64 timestamp[us]",
            "row 192.0.2.0 900000 2023-11-14T22:13:20",
            "row 192.0.2.1 100000 2023-11-14T22:13:20.001000",
            "parameters 1000",
            "null and list None ['a', 'b']",
            "batches 1000000",
            "rejected True",
            "wrong True",
            "objects millrace netdata t",
            "vendor Millrace",
            "password 1",
            "stranger rejected True");
  }

  private static Path script() throws URISyntaxException {
    return Path.of(FlightAdbcIT.class.getResource("adbc_client.py").toURI());
  }
}
