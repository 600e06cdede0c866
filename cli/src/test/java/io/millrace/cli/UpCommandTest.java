package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.config.ConfigFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class UpCommandTest {
  @Test
  void firstStepsNameTheConsoleTheCollectorsAndAQuery() {
    assertThat(
            UpCommand.firstSteps(
                InstanceOption.DEFAULT_URL, List.of("0.0.0.0:6343", "0.0.0.0:2055")))
        .containsExactly(
            "  console   http://127.0.0.1:8080",
            "  send      sFlow, NetFlow or IPFIX to UDP port 6343, 2055 of this machine",
            "  query     millrace top addr; if it is empty, millrace doctor");
  }

  @Test
  void firstStepsNameAddressesAndPortsThatAreNotTheDefault() {
    assertThat(UpCommand.firstSteps("http://127.0.0.1:8081", List.of("192.0.2.1:6343")))
        .anyMatch(line -> line.endsWith("to 192.0.2.1:6343/udp"))
        .anyMatch(
            line ->
                line.contains("top addr --url http://127.0.0.1:8081;")
                    && line.endsWith("doctor --url http://127.0.0.1:8081"));
  }

  @Test
  void theFileOfThePackagesHasTheirDataDirectory() {
    assertThat(ConfigFile.read(Path.of("../packaging/millrace.yaml")).data())
        .isEqualTo(Path.of("/var/lib/millrace"));
  }
}
