package io.millrace.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

final class CommandGroups {
  record Line(String command, String text) {}

  static final Map<String, List<Line>> GROUPS = new LinkedHashMap<>();

  static {
    GROUPS.put(
        "Run",
        List.of(
            new Line("demo", "a complete instance with generated traffic"),
            new Line("up", "start an instance"),
            new Line("submit", "run the jobs on a Flink cluster"),
            new Line("cluster", "Flink and Kafka processes on this machine"),
            new Line("config", "print all settings, or check a file")));
    GROUPS.put(
        "Query",
        List.of(
            new Line("top", "the largest groups, without SQL"),
            new Line("sql", "run a query, or open a prompt"),
            new Line("who", "the subscriber of a NAT address and port"),
            new Line("alerts", "past heavy hitters, changers and trends"),
            new Line("trends", "rising keywords in files of counts"),
            new Line("export", "export rows as Parquet files"),
            new Line("import", "import captures, nfcapd and Parquet files")));
    GROUPS.put(
        "Monitor",
        List.of(
            new Line("status", "rates, lag, steps and cores"),
            new Line("doctor", "received and lost datagrams, causes and remedies"),
            new Line("advise", "recommended number of subtasks"),
            new Line("replay", "reprocess a range of the log"),
            new Line("backup", "copy the store of a running instance"),
            new Line("restore", "copy a backup into a data directory")));
    GROUPS.put(
        "Data",
        List.of(
            new Line("decode", "print the flows in a capture"),
            new Line("send", "send a capture to a collector"),
            new Line("ingest", "send files of records to a stream"),
            new Line("generate", "synthetic traffic and records"),
            new Line("dataset", "build and query the data sets joined with flows")));
    GROUPS.put(
        "More",
        List.of(
            new Line("plugins", "custom pipelines"),
            new Line("kafka", "the schema of exported messages"),
            new Line("completion", "a shell completion script"),
            new Line("about", "version and licences"),
            new Line("help", "help for a command")));
  }

  private CommandGroups() {}

  static String text(CommandLine.Help help) {
    StringBuilder text = new StringBuilder();
    GROUPS.forEach(
        (heading, lines) -> {
          text.append(String.format("%n%s%n", heading));
          lines.forEach(
              line -> text.append(String.format("  %-11s %s%n", line.command, line.text)));
        });
    return text.toString();
  }
}
