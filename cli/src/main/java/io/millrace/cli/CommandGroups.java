package io.millrace.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** The commands by what they are for, each with one line. */
final class CommandGroups {
  /** A command and what it does, in a few words. */
  record Line(String command, String text) {}

  static final Map<String, List<Line>> GROUPS = new LinkedHashMap<>();

  static {
    GROUPS.put(
        "Run",
        List.of(
            new Line("demo", "all of it at once, with generated traffic"),
            new Line("up", "start and listen"),
            new Line("submit", "run the jobs on a Flink cluster"),
            new Line("cluster", "Flink and Kafka as processes of their own, on this machine"),
            new Line("config", "print every setting, or check a file")));
    GROUPS.put(
        "Ask",
        List.of(
            new Line("top", "the largest groups, without SQL"),
            new Line("sql", "a query, or a prompt"),
            new Line("who", "who had an address and port behind NAT"),
            new Line("alerts", "heavy hitters, changers and trends of the past"),
            new Line("trends", "what is rising in files of counts"),
            new Line("export", "rows as Parquet files"),
            new Line("import", "and back")));
    GROUPS.put(
        "Watch",
        List.of(
            new Line("status", "rates, lag, steps, cores"),
            new Line("doctor", "what arrives, what is lost, where, what to do"),
            new Line("advise", "which step wants more subtasks"),
            new Line("replay", "run a stretch of the log again")));
    GROUPS.put(
        "Data",
        List.of(
            new Line("decode", "print what is in a capture"),
            new Line("send", "send a capture to a collector"),
            new Line("ingest", "send records of gateways"),
            new Line("generate", "traffic and records that never were"),
            new Line("dataset", "what flows are joined with")));
    GROUPS.put(
        "More",
        List.of(
            new Line("plugins", "analyzers of your own"),
            new Line("kafka", "the schema of what goes out"),
            new Line("completion", "a script that completes commands in your shell"),
            new Line("about", "version and licences"),
            new Line("help", "the help of a command")));
  }

  private CommandGroups() {}

  /** The list of commands in the root's help. */
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
