package io.millrace.cli;

import io.millrace.cli.console.Progress;
import io.millrace.cli.console.UsageException;
import io.millrace.datasets.keyvalue.KeyValueBuilder;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "build",
    description = {
      "Build a reverse DNS data set from CSV files of any size, plain or gzipped, with lines "
          + "ADDRESS,NAME. If an address occurs more than once, its last name is used. The file also contains the "
          + "registrable domain of each name, from the public suffix list."
    },
    footer = {"", "  millrace dataset build rdns names.csv.gz --out rdns.mrd"})
final class DatasetBuildCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "rdns", description = "Kind of data set: rdns.")
  private String kind;

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "FILE", description = "CSV files.")
  private List<Path> files;

  @Option(names = "--out", paramLabel = "FILE", description = "Output file; rdns.mrd by default.")
  private Path target = Path.of("rdns.mrd");

  @Option(names = "--lenient", description = "Skip and count invalid lines.")
  private boolean lenient;

  @Override
  public Integer call() throws IOException {
    if (!kind.equals("rdns")) {
      throw new UsageException(kind + ": unknown kind of data set, expected rdns");
    }
    long start = System.nanoTime();
    KeyValueBuilder.Result result;
    try (Progress reading = new Progress("reading names");
        Progress merging = new Progress("merging names")) {
      result =
          new KeyValueBuilder(target, DatasetDeclaration.rdnsColumns())
              .lenient(lenient)
              .progress(
                  (stage, records, done, total) ->
                      (stage == KeyValueBuilder.Stage.READ ? reading : merging)
                          .update(records, done, total))
              .build(files);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%s: %d names of %d lines, %d duplicates, %d skipped, %.1f MiB in %.1f s%n",
        target,
        result.names(),
        result.records() + result.faults().total(),
        result.duplicates(),
        result.faults().total(),
        result.fileBytes() / (double) (1 << 20),
        (System.nanoTime() - start) / 1e9);
    return 0;
  }
}
