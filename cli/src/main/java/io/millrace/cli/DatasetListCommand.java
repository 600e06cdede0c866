package io.millrace.cli;

import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.JoinedField;
import io.millrace.datasets.catalog.Datasets;
import io.millrace.datasets.csv.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "list",
    description = "List the data sets that are joined with flows, and the columns they add.",
    footer = {"", "  millrace dataset list -c millrace.yaml"})
final class DatasetListCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration that declares the data sets.")
  private Path file;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}; table by default.")
  private RowFormat format = RowFormat.TABLE;

  @Override
  public Integer call() throws IOException {
    List<DatasetConfig> sets = DeclaredDatasets.of(file);
    RowPrinter printer = RowPrinter.of(format, spec.commandLine().getOut());
    printer.header(
        List.of(
            new RowPrinter.Column("name", false),
            new RowPrinter.Column("kind", false),
            new RowPrinter.Column("entries", true),
            new RowPrinter.Column("left_out", true),
            new RowPrinter.Column("file_bytes", true),
            new RowPrinter.Column("columns", false)));
    for (DatasetConfig config : sets) {
      long bytes = 0;
      AtomicLong leftOut = new AtomicLong();
      try (Dataset dataset = Datasets.open(config, faults -> report(config, faults, leftOut))) {
        for (Path path : config.files()) {
          bytes += Files.size(path);
        }
        printer.row(
            new String[] {
              config.name(),
              config.kind().name().toLowerCase(Locale.ROOT),
              Integer.toString(dataset.entries()),
              leftOut.toString(),
              Long.toString(bytes),
              Datasets.asBuilt(config).joined().stream()
                  .map(JoinedField::columnName)
                  .collect(Collectors.joining(" "))
            });
      }
    }
    printer.end();
    return 0;
  }

  private void report(DatasetConfig config, Faults faults, AtomicLong leftOut) {
    leftOut.set(faults.total());
    spec.commandLine().getErr().printf("data set %s: skipped: %s%n", config.name(), faults);
  }
}
