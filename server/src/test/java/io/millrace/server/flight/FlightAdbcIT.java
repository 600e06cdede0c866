package io.millrace.server.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.PythonPackages;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * ADBC's Python driver, in a virtual environment below {@code target}. Skipped if Python is missing
 * or the driver cannot be installed.
 */
class FlightAdbcIT {
  private static final String TOKEN = "0123456789abcdef";

  @TempDir Path directory;

  @Test
  void answersAdbc() throws Exception {
    String python =
        PythonPackages.install(
            "adbc", "adbc-driver-flightsql==1.13.0", "adbc-driver-manager==1.13.0", "pyarrow");
    Path output = directory.resolve("client.out");
    try (FlightInstance instance =
        FlightInstance.start(
            directory.resolve("store"),
            FlightConfig.DEFAULTS.withPort(0),
            FlightInstance.withToken(TOKEN),
            FlightInstance.limits(Duration.ofMinutes(1), 2_000_000))) {
      boolean succeeds =
          PythonPackages.succeeds(
              output,
              List.of(
                  python,
                  script().toString(),
                  "grpc://127.0.0.1:" + instance.listener().port(),
                  TOKEN,
                  "not" + TOKEN));
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
            "unknown user rejected True");
  }

  private static Path script() throws URISyntaxException {
    return Path.of(FlightAdbcIT.class.getResource("adbc_client.py").toURI());
  }
}
