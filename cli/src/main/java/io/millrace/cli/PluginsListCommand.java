package io.millrace.cli;

import io.millrace.cli.config.ConfigFile;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.plugins.PluginDirectory;
import io.millrace.store.ResultSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "list",
    description =
        "List the pipelines in a directory of jars, their jobs and the columns of their tables.",
    footer = {"", "  millrace plugins list --plugins DIR"})
final class PluginsListCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration with plugins.directory, instead of --plugins.")
  private Path file;

  @Option(names = "--plugins", paramLabel = "DIR", description = "Directory of plugin jars.")
  private Path directory;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}; table by default.")
  private RowFormat format = RowFormat.TABLE;

  @Override
  public Integer call() {
    RowPrinter printer = RowPrinter.of(format, spec.commandLine().getOut());
    List<PluginDirectory.Plugin> plugins = new PluginDirectory(directory()).plugins();
    printer.header(
        List.of(
            new RowPrinter.Column("name", false),
            new RowPrinter.Column("job", false),
            new RowPrinter.Column("tables", false),
            new RowPrinter.Column("jar", false)));
    for (PluginDirectory.Plugin plugin : plugins) {
      Pipeline pipeline = plugin.pipeline();
      printer.row(
          new String[] {
            pipeline.name(),
            pipeline.jobName(),
            pipeline.tables().stream()
                .map(PluginsListCommand::text)
                .collect(Collectors.joining(", ")),
            plugin.jar().toString()
          });
    }
    printer.end();
    return 0;
  }

  private static String text(ResultSpec table) {
    return table.schema().columns().stream()
        .map(column -> column.name() + ":" + column.type().name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(" ", table.name() + "(", ")"));
  }

  private Path directory() {
    Path named = directory != null || file == null ? directory : ConfigFile.plugins(file);
    if (named == null) {
      throw new UsageException("missing --plugins DIR, the directory of the jars");
    }
    return named;
  }
}
