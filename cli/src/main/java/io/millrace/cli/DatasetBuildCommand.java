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

/** {@code millrace dataset build}: CSV of addresses and names to the file that look-ups read. */
@Command(
    name = "build",
    description = {
      "Build the file of a set of reverse names from CSV of any size, plain or gzip, one line"
          + " ADDRESS,NAME each. Where an address comes twice, the later name counts. The file also"
          + " gets the registrable domain of each name, by the public suffix list."
    },
    footer = {"", "  millrace dataset build rdns names.csv.gz --out rdns.mrd"})
final class DatasetBuildCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "rdns", description = "The kind of set: rdns.")
  private String kind;

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "FILE", description = "CSV files.")
  private List<Path> files;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The built file; rdns.mrd by default.")
  private Path target = Path.of("rdns.mrd");

  @Option(names = "--lenient", description = "Leave bad lines out and count them.")
  private boolean lenient;

  @Override
  public Integer call() throws IOException {
    if (!kind.equals("rdns")) {
      throw new UsageException(kind + " is no set that is built; write rdns");
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
        "%s: %d names of %d lines, %d came again, %d left out, %.1f MiB in %.1f s%n",
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
