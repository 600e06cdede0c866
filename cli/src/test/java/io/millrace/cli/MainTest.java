package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "up",
        "decode",
        "send",
        "sql",
        "top",
        "status",
        "doctor",
        "config",
        "dataset",
        "dataset build",
        "dataset lookup",
        "dataset list",
        "cluster start",
        "cluster status",
        "cluster stop"
      })
  void helpPrintsUsage(String command) {
    CommandLineRun run = CommandLineRun.of((command + " --help").strip().split(" "));
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("Usage: millrace " + command);
    assertThat(run.err()).isEmpty();
  }

  @Test
  void versionIsPrinted() {
    CommandLineRun run = CommandLineRun.of("--version");
    assertThat(run.status()).isZero();
    assertThat(run.out()).startsWith("millrace ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "frobnicate",
        "decode",
        "decode --frmat tsv x.pcap",
        "send x.pcap --to nowhere",
        "send x.pcap --to 192.0.2.1:6343",
        "send x.pcap --to 127.0.0.1:6343 --speed never",
        "dataset",
        "dataset build asn x.csv",
        "dataset lookup not-an-address",
        "dataset lookup --file x.csv 192.0.2.1",
        "config -c no-such-file.yaml",
        "up --http 70000",
        "top",
        "top as -n many",
        "sql --format xml x",
        "status --url not|a|url",
        "cluster",
        "cluster start --brokers 4",
        "cluster start --task-manager-memory 64",
        "cluster start --network-memory 1kB",
        "cluster status --dir no-such-directory",
        "cluster stop --dir no-such-directory"
      })
  void badUsageIsOneLineAndStatusTwo(String arguments) {
    CommandLineRun run = CommandLineRun.of(arguments.split(" "));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines()).hasSize(1).allMatch(line -> line.startsWith("millrace: "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "decode x.pcap --classifier tree|tree: expected one of built-in, ndpi;",
        "decode x.pcap --layer BUILT_IN|BUILT_IN: expected one of outer, inner;",
        "decode x.pcap --as tree|tree: expected one of sflow, netflow, packets, flows, events, discards, count;",
        "sql x --format xml|xml: expected one of table, vertical, tsv, csv, spreadsheet, json;",
        "completion tree|tree: expected one of bash, zsh, fish;"
      })
  void anUnknownWordListsTheKnownOnes(String arguments, String answer) {
    CommandLineRun run = CommandLineRun.of(arguments.split(" "));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains(answer);
  }

  @Test
  void wordsAreTakenInAnyCase() {
    CommandLineRun run = CommandLineRun.of("completion", "Bash");
    assertThat(run.status()).as(run.err()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"config", "up", "dataset list"})
  void anInvalidDataSetIsReportedBeforeAnythingStarts(String command, @TempDir Path directory)
      throws IOException {
    Path file = directory.resolve("millrace.yaml");
    Files.writeString(
        file,
        "data: " + directory.resolve("data") + "\ndatasets:\n  asn: {kind: tree, files: x}\n");
    CommandLineRun run = CommandLineRun.of((command + " -c " + file).split(" "));
    assertThat(run.status()).as(run.err()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            "millrace: datasets.asn.kind: \"tree\" is not a kind; expected range, keyvalue, pair, exporter, mac or ixf ("
                + file
                + ":1)\n");
    assertThat(directory.resolve("data")).doesNotExist();
  }

  @Test
  void printNamesThePipelinesWithNews(@TempDir Path directory) {
    CommandLineRun run = CommandLineRun.of("up", "--print", "--data", directory.toString());
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err())
        .contains("--print has nothing to print; set gateways.enabled: true in -c FILE");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void failureIsOneLineUnlessDebugging() {
    String[] arguments = {"status", "--url", "http://127.0.0.1:1"};
    CommandLineRun run = CommandLineRun.of(arguments);
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.err()).contains("no connection to http://127.0.0.1:1");
    CommandLineRun debugged = CommandLineRun.of("status", "--url", "http://127.0.0.1:1", "--debug");
    assertThat(debugged.status()).isEqualTo(1);
    assertThat(debugged.err()).contains("\tat io.millrace.cli");
  }

  @Test
  void aFileInPlaceOfADirectoryIsReported(@TempDir Path directory) throws IOException {
    Path file = Files.createFile(directory.resolve("taken"));
    CommandLineRun run = CommandLineRun.of("generate", "quota", file.toString());
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).isEqualTo("millrace: " + file + ": a file of this name already exists\n");
  }
}
