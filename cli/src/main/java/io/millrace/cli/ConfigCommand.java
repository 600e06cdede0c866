package io.millrace.cli;

import io.millrace.cli.config.ConfigFile;
import io.millrace.cli.config.ConfigWriter;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.catalog.Datasets;
import io.millrace.datasets.csv.Faults;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.server.runtime.MillraceConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "config",
    description = "Print the effective settings as a commented configuration file.",
    footer = {"", "  millrace config > millrace.yaml"})
final class ConfigCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration file; missing keys have their defaults.")
  private Path file;

  @Option(names = "--reference", description = "Print the reference page of all keys, as Markdown.")
  private boolean reference;

  @Override
  public Integer call() throws IOException {
    MillraceConfig defaults = MillraceConfig.defaults();
    PrintWriter out = spec.commandLine().getOut();
    if (reference) {
      out.print(ConfigWriter.reference(defaults));
    } else if (file == null) {
      out.print(ConfigWriter.yaml(defaults));
    } else {
      MillraceConfig config = ConfigFile.read(file);
      for (DatasetConfig dataset : DatasetDeclaration.toConfigs(config.datasets())) {
        // reports errors in its files
        Datasets.open(dataset, leftOut -> report(dataset, leftOut)).close();
      }
      out.print(ConfigWriter.yaml(config));
    }
    out.flush();
    return 0;
  }

  private void report(DatasetConfig dataset, Faults leftOut) {
    spec.commandLine()
        .getErr()
        .printf("data set %s: %d entries skipped: %s%n", dataset.name(), leftOut.total(), leftOut);
  }
}
