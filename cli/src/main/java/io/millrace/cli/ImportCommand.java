package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.console.Progress;
import io.millrace.cli.console.RefusedException;
import io.millrace.cli.print.Plural;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace import}: what {@code export} wrote, into a running instance. */
@Command(
    name = "import",
    description = {
      "Read what millrace export wrote into the running instance. Rows that the table has already are"
          + " left out, so the same files may be read again after a failure. Rows that are older than"
          + " flows keeps them (store.retention) go into a table of their own, where they stay."
    },
    footer = {
      "",
      "  millrace import flows-january --table january",
      "  millrace sql \"SELECT count(*) FROM january\""
    })
final class ImportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private InstanceOption instance;

  @Parameters(paramLabel = "DIR", description = "Directory with Parquet files, or one file.")
  private Path source;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      defaultValue = "flows",
      description = "The table of flows, made where there is none; flows by default.")
  private String table;

  @Override
  public Integer call() throws IOException {
    List<Path> files = files();
    if (files.isEmpty()) {
      throw new IOException(source + " has no .parquet files");
    }
    long bytes = 0;
    for (Path file : files) {
      bytes += Files.size(file);
    }
    ApiClient client = instance.client();
    long added = 0;
    long skipped = 0;
    long done = 0;
    try (Progress progress = new Progress("import")) {
      for (Path file : files) {
        JsonNode answer;
        try {
          answer = client.upload("/api/v1/import", Map.of("table", table), file);
        } catch (RefusedException e) {
          throw new IOException(file + ": " + e.inOneLine(), e);
        }
        added += answer.path("added").asLong();
        skipped += answer.path("skipped").asLong();
        done += Files.size(file);
        progress.update(added + skipped, done, bytes);
      }
    }
    spec.commandLine()
        .getOut()
        .printf(
            "%s from %s into %s; %,d %s there already%n",
            Plural.of(added, "row"),
            Plural.of(files.size(), "file"),
            table,
            skipped,
            skipped == 1 ? "was" : "were");
    spec.commandLine().getOut().flush();
    return 0;
  }

  /** In order of their names, which is that of time. */
  private List<Path> files() throws IOException {
    if (!Files.exists(source)) {
      throw new IOException(source + " is not there");
    }
    try (Stream<Path> all = Files.walk(source)) {
      return all.filter(file -> file.toString().endsWith(".parquet"))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    }
  }
}
