package io.millrace.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.rollup.RollupConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfigWriterTest {
  @Test
  void writtenConfigurationIsReadBack() {
    DatasetDeclaration names =
        new DatasetDeclaration(
            "range",
            List.of("a b.csv", "c:\\d \"e\".csv"),
            List.of("cidr", "place:text"),
            Map.of("src_addr", "", "dst_addr", "to_"),
            true,
            7);
    MillraceConfig defaults = MillraceConfig.defaults();
    MillraceConfig config =
        defaults
            .withData(Path.of("/var/lib/mill race"))
            .withSection(defaults.log().withKafka("one:9092,two:9092"))
            .withSection(defaults.job().withRestPort(8081))
            .withSection(
                new RollupConfig(
                    false,
                    100,
                    RollupConfig.Accounting.ARRIVAL,
                    Map.of("customer", List.of("src_vlan", "proto"), "tos", List.of("tos")),
                    Duration.ofMinutes(10),
                    Duration.ZERO,
                    RollupConfig.Retention.DEFAULT,
                    true))
            .withDatasets(Map.of("places", names, "asn", DatasetDeclaration.of("asn.csv")));
    for (MillraceConfig each : List.of(defaults, config)) {
      assertThat(YamlFile.parse(ConfigWriter.yaml(each), "config", defaults)).isEqualTo(each);
    }
  }

  @Test
  void entriesAreWrittenInTheOrderOfTheirNames() {
    String sets = "sets: {a: [dst_as], b: [src_as], c: [src_as, dst_as], d: [proto], e: [tos]}";
    MillraceConfig read =
        YamlFile.parse("rollups: {" + sets + "}", "config", MillraceConfig.defaults());
    assertThat(ConfigWriter.yaml(read)).contains("  " + sets + "\n");
  }

  @Test
  void retentionByTimeAndBySizeAreSeparateKeys() {
    MillraceConfig read =
        YamlFile.parse(
            "log: {retention: 2h, retention-size: 1GiB}", "config", MillraceConfig.defaults());
    assertThat(read.log().retention().toHours()).isEqualTo(2);
    assertThat(read.log().retentionSizeBytes()).isEqualTo(1L << 30);
  }

  @Test
  void eachKeyHasADescriptionAndViceVersa() {
    assertThat(ConfigWriter.settings(MillraceConfig.defaults()).keySet())
        .containsExactlyInAnyOrderElementsOf(
            ConfigWriter.sentences(MillraceConfig.defaults()).stringPropertyNames());
  }
}
