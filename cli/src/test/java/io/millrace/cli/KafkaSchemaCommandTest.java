package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The schema matches the messages of {@code up} or of a cluster job with the same file. */
class KafkaSchemaCommandTest {
  @TempDir Path directory;

  private CommandLineRun schema(String yaml) throws IOException {
    Path file = directory.resolve("millrace.yaml");
    Files.writeString(file, yaml);
    return CommandLineRun.of("kafka", "schema", "-c", file.toString(), "--format", "avro");
  }

  @Test
  void usesAsNumbersOfExportersWithoutDeclaredNetworks() throws IOException {
    CommandLineRun run = schema("kafka: {out: {columns: [time, src_as, dst_as]}}\n");
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains("\"src_as\"", "\"dst_as\"").doesNotContain("src_addr");
  }

  @Test
  void schemaOfAClusterJobHasOnlyDeclaredDataSets() throws IOException {
    CommandLineRun run =
        schema(
            """
            job: {run: cluster}
            store: {listen: 127.0.0.1:9333}
            datasets: {asn: {files: [/srv/networks.csv]}}
            """);
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains("\"src_as_name\"").doesNotContain("dst_dns");
  }
}
