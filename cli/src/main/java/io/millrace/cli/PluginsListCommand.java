package io.millrace.cli;

import io.millrace.analytics.plugin.FlowKeys;
import io.millrace.cli.config.ConfigFile;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import io.millrace.pipelines.plugins.Plugin;
import io.millrace.pipelines.plugins.PluginDirectory;
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
    description = "List the plugins in a directory of jars, and the columns of their tables.",
    footer = {"", "  millrace plugins list --plugins DIR"})
final class PluginsListCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration with plugins.directory, in place of --plugins.")
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
    try (PluginDirectory plugins = new PluginDirectory(directory())) {
      RowPrinter printer = RowPrinter.of(format, spec.commandLine().getOut());
      printer.header(
          List.of(
              new RowPrinter.Column("name", false),
              new RowPrinter.Column("columns", false),
              new RowPrinter.Column("keyed_by", false),
              new RowPrinter.Column("jar", false)));
      for (Plugin plugin : plugins.plugins()) {
        printer.row(
            new String[] {
              plugin.name(),
              plugin.result().columns().stream()
                  .map(
                      column -> column.name() + ":" + column.type().name().toLowerCase(Locale.ROOT))
                  .collect(Collectors.joining(" ")),
              plugin.keys().map(FlowKeys::by).orElse(""),
              plugin.jar()
            });
      }
      printer.end();
    }
    return 0;
  }

  private Path directory() {
    Path named =
        directory != null || file == null ? directory : ConfigFile.read(file).plugins().directory();
    if (named == null) {
      throw new UsageException("missing --plugins DIR, the directory of the jars");
    }
    return named;
  }
}
