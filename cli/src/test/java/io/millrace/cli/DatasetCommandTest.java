package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetCommandTest {
  @TempDir Path directory;

  @Test
  void builtNamesAreFound() throws IOException {
    Path csv = directory.resolve("names.csv");
    Files.writeString(
        csv, "192.0.2.1,one.example\n2001:db8::1,a.two.example\n192.0.2.1,new.example\n");
    String built = directory.resolve("names.mrd").toString();
    CommandLineRun build =
        CommandLineRun.of("dataset", "build", "rdns", csv.toString(), "--out", built);
    assertThat(build.err()).isEmpty();
    assertThat(build.status()).isZero();
    assertThat(build.out()).contains("2 names of 3 lines, 1 came again, 0 left out");

    CommandLineRun lookup =
        CommandLineRun.of(
            "dataset",
            "lookup",
            "--file",
            built,
            "--kind",
            "keyvalue",
            "--columns",
            "ip,dns:text,domain:domain(dns)",
            "--format",
            "tsv",
            "192.0.2.1",
            "2001:db8::1",
            "192.0.2.9");
    assertThat(lookup.status()).isZero();
    assertThat(lookup.out())
        .isEqualTo(
            """
            address\tdataset\tfield\tvalue
            192.0.2.1\tfile\tdns\tnew.example
            192.0.2.1\tfile\tdomain\tnew.example
            2001:db8::1\tfile\tdns\ta.two.example
            2001:db8::1\tfile\tdomain\ttwo.example
            192.0.2.9\tfile\tdns\t
            192.0.2.9\tfile\tdomain\t
            """);
  }

  @Test
  void badLineIsNamedByFileAndLineUnlessLenient() throws IOException {
    Path csv = directory.resolve("names.csv");
    Files.writeString(csv, "192.0.2.1,one.example\n192.0.2.999,two.example\n");
    String built = directory.resolve("names.mrd").toString();
    CommandLineRun strict =
        CommandLineRun.of("dataset", "build", "rdns", csv.toString(), "--out", built);
    assertThat(strict.status()).isEqualTo(1);
    assertThat(strict.err().lines()).hasSize(1);
    assertThat(strict.err()).contains(csv + ":2:");
    CommandLineRun lenient =
        CommandLineRun.of("dataset", "build", "rdns", csv.toString(), "--out", built, "--lenient");
    assertThat(lenient.status()).isZero();
    assertThat(lenient.out()).contains("1 names of 2 lines", "1 left out");
  }

  @Test
  void missingInputIsOneLine() {
    CommandLineRun run =
        CommandLineRun.of(
            "dataset", "build", "rdns", "nowhere.csv", "--out", directory.resolve("x").toString());
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).isEqualTo("millrace: nowhere.csv: no such file\n");
  }

  @Test
  void declaredFileThatIsMissingIsNamed() throws IOException {
    Path config = directory.resolve("millrace.yaml");
    Files.writeString(config, "datasets: {asn: {files: [nowhere.csv]}}\n");
    CommandLineRun run =
        CommandLineRun.of("dataset", "lookup", "-c", config.toString(), "192.0.2.1");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).contains("nowhere.csv: no such file");
  }

  @Test
  void bundledSetsAreListed() {
    CommandLineRun run = CommandLineRun.of("dataset", "list", "--format", "tsv");
    assertThat(run.status()).isZero();
    assertThat(run.out().lines())
        .hasSize(3)
        .anyMatch(line -> line.startsWith("asn\trange\t") && line.endsWith("\tyes"))
        .anyMatch(
            line ->
                line.startsWith("rdns\tkeyvalue\t")
                    && line.contains("\tsrc_dns src_domain dst_dns dst_domain\t")
                    && line.endsWith("\tyes"));
  }
}
