package io.millrace.cli;

import io.millrace.cli.config.ConfigFile;
import io.millrace.cli.console.RuntimeOptions;
import io.millrace.cli.console.UsageException;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.pipelines.kafka.KafkaOut;
import io.millrace.pipelines.kafka.KafkaOutConfig;
import io.millrace.pipelines.kafka.OutFormat;
import io.millrace.server.runtime.MillraceConfig;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "schema",
    description =
        "Print the schema of kafka.out messages: a .proto file, or Avro or Arrow as JSON.",
    footer = {"", "  millrace kafka schema -c millrace.yaml --format avro > flow.avsc"})
final class KafkaSchemaCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration with the data sets and kafka.out; the defaults if omitted.")
  private Path file;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "protobuf, protobuf-delimited, avro, json (its columns, as Avro) or arrow; the format "
              + "of kafka.out by default.")
  private String format;

  @Override
  public Integer call() {
    MillraceConfig config = file == null ? MillraceConfig.defaults() : ConfigFile.read(file);
    if (config.job().run()
        == FlinkConfig.Place.HERE) { // a job on a cluster has only the data sets of the file
      config = RuntimeOptions.withAsOfExporters(config);
    }
    KafkaOutConfig out = config.kafka().out();
    PrintWriter to = spec.commandLine().getOut();
    to.print(format(out).schema(KafkaOut.columns(out, config.datasets())));
    to.flush();
    return 0;
  }

  private OutFormat format(KafkaOutConfig out) {
    if (format == null) {
      return out.format();
    }
    try {
      return OutFormat.valueOf(format.toUpperCase(Locale.ROOT).replace('-', '_'));
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          "--format: "
              + format
              + ": unknown format, expected protobuf, protobuf-delimited, avro, json or arrow");
    }
  }
}
