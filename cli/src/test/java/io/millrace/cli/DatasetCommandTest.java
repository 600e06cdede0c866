package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    assertThat(build.out()).contains("2 names of 3 lines, 1 duplicates, 0 skipped");

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
    assertThat(lenient.out()).contains("1 names of 2 lines", "1 skipped");
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
  void declaredSetsAreListedWithTheirRangesAndFilesAreRelativeToTheConfiguration()
      throws IOException {
    Files.writeString(
        directory.resolve("asn.csv"),
        "start;end;as;name\n192.0.2.0;192.0.2.127;64500;Our office\n192.0.2.128;192.0.2.255;64500;Our office\n");
    Path config = directory.resolve("millrace.yaml");
    Files.writeString(config, "datasets: {asn: {files: [asn.csv]}}\n");
    CommandLineRun run =
        CommandLineRun.of("dataset", "list", "-c", config.toString(), "--format", "tsv");
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .isEqualTo(
            """
            name\tkind\tentries\tleft_out\tfile_bytes\tcolumns
            asn\trange\t2\t0\t98\tsrc_as src_as_name dst_as dst_as_name
            """);
    assertThat(CommandLineRun.of("config", "-c", config.toString()).out())
        .contains(directory.resolve("asn.csv").toString());
  }

  @Test
  void aConfigurationWithABadDataSetIsRejected() throws IOException {
    Files.writeString(directory.resolve("asn.csv"), "192.0.2.0,192.0.2.999,64500,Our office\n");
    Path config = directory.resolve("millrace.yaml");
    Files.writeString(
        config, "data: " + directory.resolve("data") + "\ndatasets: {asn: {files: [asn.csv]}}\n");
    for (String command : List.of("config", "up")) {
      CommandLineRun run = CommandLineRun.of(command, "-c", config.toString());
      assertThat(run.status()).isEqualTo(1);
      assertThat(run.err())
          .isEqualTo(
              "millrace: %s:1: \"192.0.2.999\" is not an address\n"
                  .formatted(directory.resolve("asn.csv")));
    }
  }

  @Test
  void withoutAConfigurationNothingIsDeclared() {
    CommandLineRun run = CommandLineRun.of("dataset", "list");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("missing -c FILE, the configuration that declares data sets");
  }
}
