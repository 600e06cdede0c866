package io.millrace.datasets.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.range.PairLoader;
import io.millrace.datasets.range.RangeLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class YamlRowsTest {
  private static final Columns INTERFACES =
      Columns.parse(
          "columns",
          List.of("exporter", "interface", "name:text", "mbit_s:number", "boundary:text"));
  private static final Columns EXPORTERS = Columns.parse("columns", List.of("cidr", "name:text"));

  @TempDir Path directory;

  private Path file(String name, String... lines) throws IOException {
    return Files.write(directory.resolve(name), List.of(lines));
  }

  /** The fingerprint covers all keys and values. */
  @Test
  void equalsTheDataSetFromCsv() throws IOException {
    Path yaml =
        file(
            "interfaces.yaml",
            "# ours",
            "- exporter: 192.0.2.1",
            "  interface: 5",
            "  name: 'xe-0/0/5, \"old\"'",
            "  boundary: external",
            "",
            "- {interface: 7, exporter: 2001:db8::1, mbit_s: 10000, name: ~}");
    Path csv =
        file(
            "interfaces.csv",
            "exporter,interface,name,speed,boundary",
            "192.0.2.1,5,\"xe-0/0/5, \"\"old\"\"\",,external",
            "2001:db8::1,7,,10000,");
    assertThat(load(yaml).fingerprint()).isEqualTo(load(csv).fingerprint());
    assertThat(load(yaml).records()).isEqualTo(2);
    Path exporters = file("exporters.yml", "- {cidr: 192.0.2.1, name: edge-1}");
    assertThat(
            RangeLoader.load("exporters", List.of(exporters), EXPORTERS, false)
                .table()
                .fingerprint())
        .isEqualTo(
            RangeLoader.load(
                    "exporters",
                    List.of(file("exporters.csv", "192.0.2.1,edge-1")),
                    EXPORTERS,
                    false)
                .table()
                .fingerprint());
  }

  private static Dataset load(Path file) throws IOException {
    return PairLoader.load("interfaces", List.of(file), INTERFACES, false).table();
  }

  @Test
  void anEmptyFileHasNoRecords() throws IOException {
    assertThat(load(file("empty.yaml", "# nothing yet")).records()).isZero();
  }

  @Test
  void saysWhatIsWrongAndWhere() throws IOException {
    String first = "- {exporter: 192.0.2.1, interface: 5}";
    rejects(
        4,
        "\"speed\" is not one of the columns [exporter, interface, name",
        first,
        "",
        "-",
        "  speed: 5");
    rejects(3, "\"interface\" is a duplicate column", first, "- interface: 5", "  interface: 6");
    rejects(
        2,
        "\"x\" in column interface is not a number",
        first,
        "- {exporter: 192.0.2.1, interface: x}");
    rejects(3, "duplicate pair of 192.0.2.1 and 5", first, "", first);
    rejects(1, "\"router\" is not an address", "- {exporter: router, interface: 5}");
    rejects(2, "a scalar value", first, "- {exporter: [192.0.2.1], interface: 5}");
    rejects(2, "expected a mapping of column names", first, "- 5");
    rejects(1, "expected a list of items", "exporter: 192.0.2.1");
    rejects(2, "invalid YAML", first, "- {exporter: ]");
  }

  private void rejects(long line, String message, String... lines) throws IOException {
    Path file = file("wrong.yaml", lines);
    assertThatThrownBy(() -> load(file))
        .isInstanceOf(DatasetException.class)
        .hasMessageStartingWith(file + ":" + line + ": ")
        .hasMessageContaining(message);
  }
}
