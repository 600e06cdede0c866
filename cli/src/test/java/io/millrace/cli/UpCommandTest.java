package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.config.ConfigFile;
import io.millrace.pulse.DataVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UpCommandTest {
  @TempDir Path directory;

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

  @ParameterizedTest
  @ValueSource(strings = {"up", "demo"})
  void aDirectoryOfALaterReleaseIsRejectedAndNotChanged(String command) throws IOException {
    new DataVersion("99.0.0", DataVersion.FORMAT + 1).write(directory);
    CommandLineRun refused = CommandLineRun.of(command, "--data", directory.toString());
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err())
        .isEqualTo(
            "millrace: %s was written by Millrace 99.0.0 (format %d), this is Millrace %s (format %d): install Millrace 99.0.0 or later, or restore a backup into another --data%n"
                .formatted(
                    directory,
                    DataVersion.FORMAT + 1,
                    DataVersion.CURRENT.release(),
                    DataVersion.FORMAT));
    assertThat(directory.toFile().list()).containsExactly("version");
  }

  @Test
  void theFileOfThePackagesHasTheirDataDirectory() {
    assertThat(ConfigFile.read(Path.of("../packaging/millrace.yaml")).data())
        .isEqualTo(Path.of("/var/lib/millrace"));
  }
}
