package io.millrace.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.pulse.ChildProcess;
import io.millrace.testing.PythonPackages;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * SQLAlchemy's dialect for Flight SQL, which Superset uses. A release run installs it below {@code
 * target}.
 */
class SqlAlchemyIT {
  private static final String ENVIRONMENT = "sqlalchemy";

  @TempDir Path directory;

  @Test
  void readsTablesAndRows() throws Exception {
    assumeThat(
            Boolean.getBoolean("millrace.release")
                || Files.exists(Path.of("target", ENVIRONMENT, "ready")))
        .as("not installed: ./millrace test documentation --only --release")
        .isTrue();
    String python =
        PythonPackages.install(
            ENVIRONMENT,
            "flightsql-dbapi==0.2.2",
            "sqlalchemy==1.4.54",
            "pyarrow==26.0.1",
            "pandas==3.1.1");
    try (MonitoredInstance instance = MonitoredInstance.start(directory)) {
      instance.sendFlows();
      assertThat(instance.millrace().awaitDrained(Duration.ofMinutes(1))).isTrue();
      String address = URI.create(instance.millrace().flightUrl().orElseThrow()).getAuthority();
      assertThat(
              ChildProcess.check(python, "src/test/python/sqlalchemy_client.py", address, "none"))
          .isEqualTo(
              """
              schemas main
              True True
              types TIMESTAMP TEXT BIGINT BIGINT
              rows True True
              text it's % and :name
              """);
    }
  }
}
