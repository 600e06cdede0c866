package io.millrace.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.server.runtime.MillraceConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class YamlFileTest {
  enum Compression {
    NONE,
    LZ4
  }

  record Join(String kind, List<Path> files) {}

  record Log(int partitions, long lingerMicros, long batchBytes, Compression compression) {
    Log {
      if (partitions < 1) {
        throw new IllegalArgumentException("partitions: " + partitions + " is less than 1");
      }
      if (batchBytes < 1) {
        throw new IllegalArgumentException("log.batch: " + batchBytes + " is less than 1");
      }
      if (partitions > batchBytes) {
        throw new IllegalArgumentException("more partitions than bytes");
      }
    }
  }

  record Root(String data, boolean quiet, Log log, Map<String, Join> datasets) {}

  private static final Root DEFAULTS =
      new Root("here", false, new Log(4, 5_000, 131_072, Compression.LZ4), Map.of());

  private static Root parse(String yaml) {
    return YamlFile.parse(yaml, "millrace.yaml", DEFAULTS);
  }

  private static void rejects(String yaml, String message) {
    assertThatThrownBy(() -> parse(yaml)).isInstanceOf(ConfigException.class).hasMessage(message);
  }

  @Test
  void anEmptyFileGivesTheDefaults() {
    assertThat(parse("")).isEqualTo(DEFAULTS);
    assertThat(parse("# nothing\n")).isEqualTo(DEFAULTS);
    assertThat(parse("log:\n")).isEqualTo(DEFAULTS);
  }

  @Test
  void givenKeysReplaceDefaultsAndLeaveTheRest() {
    Root root = parse("data: there\nlog:\n  linger: 20ms\n  batch: 1MiB\n  compression: none\n");
    assertThat(root.data()).isEqualTo("there");
    assertThat(root.log()).isEqualTo(new Log(4, 20_000, 1 << 20, Compression.NONE));
  }

  @Test
  void mapsHoldRecordsAndASingleItemNeedsNoList() {
    Root root = parse("datasets:\n  asn: {kind: range, files: a.csv}\n");
    assertThat(root.datasets())
        .containsExactly(Map.entry("asn", new Join("range", List.of(Path.of("a.csv")))));
  }

  @Test
  void anUnknownKeyIsRejectedWithASuggestion() {
    rejects(
        "log:\n  partitons: 3\n",
        "log.partitons: unknown key; did you mean log.partitions? (millrace.yaml:2)");
    rejects(
        "log:\n  zzzzzzz: 3\n",
        "log.zzzzzzz: unknown key; expected one of partitions, linger, batch, compression"
            + " (millrace.yaml:2)");
  }

  @Test
  void aNumberWithoutAUnitIsRejected() {
    rejects(
        "log:\n  linger: 5\n",
        "log.linger: 5: missing unit, expected a value such as 5s (ns, us, ms, s, m, h, d, w, y)"
            + " (millrace.yaml:2)");
  }

  @Test
  void wrongValuesAreRejectedWithWhatIsAllowed() {
    rejects(
        "log:\n  compression: gzip\n",
        "log.compression: gzip: expected one of none, lz4 (millrace.yaml:2)");
    rejects("quiet: perhaps\n", "quiet: perhaps: expected true or false (millrace.yaml:1)");
    rejects(
        "log: {partitions: x}\n", "log.partitions: x: expected a whole number (millrace.yaml:1)");
    rejects("log: 5\n", "log: expected a mapping of keys to values (millrace.yaml:1)");
    rejects("data: [a, b]\n", "data: expected a single value (millrace.yaml:1)");
    rejects("data: a\ndata: b\n", "data: duplicate key (millrace.yaml:2)");
  }

  @Test
  void rejectionsByRecordsNameTheirLineOnce() {
    rejects(
        "data: x\nlog:\n  partitions: 0\n", "log.partitions: 0 is less than 1 (millrace.yaml:3)");
    rejects(
        "log:\n  partitions: 2\n  batch: 0B\n", "log.batch: 0 is less than 1 (millrace.yaml:3)");
    rejects("log:\n  batch: 1B\n", "log: more partitions than bytes (millrace.yaml:2)");
  }

  @Test
  void textThatIsNotYamlIsRejectedWithItsLine() {
    assertThatThrownBy(() -> parse("a: [1, 2\nb: c\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("invalid YAML: ")
        .hasMessageEndingWith("(millrace.yaml:2)");
  }

  @Test
  void anAddressOpenToTheNetworkIsRejectedWithItsLine() {
    String open = "data: x\nhttp:\n  port: 80\n  address: 0.0.0.0\n";
    assertThatThrownBy(() -> YamlFile.parse(open, "c.yaml", MillraceConfig.defaults()))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("http.address: 0.0.0.0 is not loopback")
        .hasMessageContaining("http.token-file")
        .hasMessageEndingWith("(c.yaml:4)");
    MillraceConfig closed =
        YamlFile.parse(open + "  token-file: /etc/t\n", "c.yaml", MillraceConfig.defaults());
    assertThat(closed.http().tokenFile()).isEqualTo(Path.of("/etc/t"));
  }

  @Test
  void aTokenIsReadAndNotPrinted() {
    MillraceConfig config =
        YamlFile.parse("http: {token: s3cret-s3cret}", "c.yaml", MillraceConfig.defaults());
    assertThat(config.http().requiresToken()).isTrue();
    assertThat(config.toString()).doesNotContain("s3cret");
    String printed = ConfigWriter.yaml(config);
    assertThat(printed).doesNotContain("s3cret").contains("token: \"********\"");
    assertThatThrownBy(() -> YamlFile.parse(printed, "c.yaml", MillraceConfig.defaults()))
        .hasMessageContaining("http.token: ******** only hides");
    assertThatThrownBy(
            () -> YamlFile.parse("http: {token: s3}", "c.yaml", MillraceConfig.defaults()))
        .hasMessageStartingWith("http.token: invalid token")
        .hasMessageNotContaining("s3");
  }
}
