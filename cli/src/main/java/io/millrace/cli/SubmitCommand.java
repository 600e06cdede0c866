package io.millrace.cli;

import io.millrace.cli.config.ConfigFile;
import io.millrace.cli.console.UsageException;
import io.millrace.engine.job.CheckpointHome;
import io.millrace.engine.job.FlinkPath;
import io.millrace.pipelines.StoreLink;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.server.submit.Submission;
import io.millrace.server.submit.Submitter;
import io.millrace.store.remote.StoreSecret;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "submit",
    description = {
      "Run a pipeline as a job on an existing Flink cluster of the same minor version: the job "
          + "that millrace up would run in-process. It reads from Kafka and writes to the store of "
          + "a millrace up with job.run: cluster.  A resubmitted job resumes from its newest "
          + "checkpoint."
    })
final class SubmitCommand implements Callable<Integer> {
  private static final String NONE = "none";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PIPELINE", description = "Pipeline to run, such as flows or gateways.")
  private String pipeline;

  @Option(
      names = "--jobmanager",
      paramLabel = "HOST:PORT,…",
      required = true,
      description = "Flink REST addresses (port 8081 by default); the first that responds is used.")
  private String jobManagers;

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT,…",
      description =
          "Kafka address as seen from the cluster; log.kafka of the configuration by default.")
  private String kafka;

  @Option(
      names = "--checkpoints",
      paramLabel = "DIR|URI",
      required = true,
      description =
          "Checkpoint storage: a directory that every machine of the cluster mounts at this "
              + "path, or s3://…")
  private String checkpoints;

  @Option(
      names = "--store",
      paramLabel = "HOST:PORT",
      description =
          "Store address as seen from the cluster; store.listen of the configuration by default.")
  private String store;

  @Option(
      names = "--store-secret",
      paramLabel = "FILE",
      description =
          "File with the store secret, created by millrace up; store.secret in the data "
              + "directory of the configuration by default.")
  private Path storeSecret;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description =
          "Configuration: settings of the pipeline, datasets, plugins and "
              + "job.checkpoint-interval. Data set files are read on every machine of the "
              + "cluster.")
  private Path file;

  @Option(
      names = "--plugins",
      paramLabel = "DIR",
      description =
          "Directory of jars with custom pipelines, sent with the job; plugins.directory of the "
              + "configuration by default.")
  private Path plugins;

  @Option(
      names = "--parallelism",
      paramLabel = "N",
      description =
          "Subtasks of each step; by default half of the free slots, which leaves slots for the "
              + "next job. Fails if the cluster has fewer free slots.")
  private Integer parallelism;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description =
          "Name of the job, which also identifies its checkpoints; the name of the pipeline by "
              + "default.")
  private String name;

  @Option(
      names = "--from-checkpoint",
      paramLabel = "PATH",
      description = "Resume from this checkpoint or savepoint, or from none.")
  private String fromCheckpoint;

  @Option(
      names = "--replace",
      description = "Stop the job of that name with a checkpoint and resume from it.")
  private boolean replace;

  @Option(
      names = "--jar",
      paramLabel = "FILE",
      description =
          "Jar to upload, or none if the cluster has Millrace's classes; by default this command's "
              + "jar, unless the cluster was started from it.")
  private String jar;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Submitter.Result result =
        new Submitter(submission(), line -> err.println("millrace: " + line)).run();
    out.printf("job         %s%n", result.id());
    out.printf("name        %s%n", result.name());
    out.printf("parallelism %d%n", result.parallelism());
    out.printf("from        %s%n", result.restored().orElse("the beginning, without a checkpoint"));
    out.printf("dashboard   %s%n", result.dashboard());
    out.flush();
    if (!result.running()) {
      err.println("millrace: not all subtasks are running yet; see the dashboard for the cause");
    }
    return 0;
  }

  private Submission submission() {
    MillraceConfig config = ConfigFile.read(file, plugins);
    try {
      var unused = config.logPipeline(pipeline);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
    if (kafka != null) {
      try {
        config = config.withSection(config.log().withKafka(kafka));
      } catch (IllegalArgumentException e) {
        throw new UsageException("--kafka: " + kafka + ": expected HOST:PORT,…");
      }
    }
    if (config.log().kafka() == null) {
      throw new UsageException("missing --kafka HOST:PORT, the address of the log");
    }
    if (parallelism != null && parallelism < 1) {
      throw new UsageException("--parallelism: " + parallelism + ": expected at least 1");
    }
    return new Submission(
        pipeline,
        name == null ? pipeline : name,
        config,
        addresses("--jobmanager", jobManagers),
        store(config),
        CheckpointHome.parse(checkpoints),
        restore(),
        parallelism == null ? OptionalInt.empty() : OptionalInt.of(parallelism),
        replace,
        code());
  }

  private StoreLink.Remote store(MillraceConfig config) {
    InetSocketAddress address = config.store().listen();
    if (store != null) {
      address = addresses("--store", store).get(0);
    }
    if (address == null) {
      throw new UsageException("missing --store HOST:PORT, the address of the store");
    }
    return new StoreLink.Remote(address.getHostString(), address.getPort(), secret(config));
  }

  private StoreSecret secret(MillraceConfig config) {
    Path file = storeSecret == null ? config.data().resolve(StoreSecret.FILE_NAME) : storeSecret;
    try {
      return StoreSecret.read(file);
    } catch (IOException e) {
      throw new UsageException(
          e.getMessage()
              + "; copy the file from the store's data directory and name it with --store-secret FILE");
    }
  }

  private static List<InetSocketAddress> addresses(String option, String text) {
    return Arrays.stream(text.split(",")).map(one -> address(option, one.strip())).toList();
  }

  private static InetSocketAddress address(String option, String text) {
    int colon = text.lastIndexOf(':');
    try {
      if (colon > 0) {
        String host = text.substring(0, colon).replaceAll("^\\[|]$", "");
        return InetSocketAddress.createUnresolved(
            host, Integer.parseInt(text.substring(colon + 1)));
      }
    } catch (IllegalArgumentException e) {
      // reported below
    }
    throw new UsageException(option + ": " + text + ": expected HOST:PORT");
  }

  private Submission.Restore restore() {
    if (fromCheckpoint == null) {
      return new Submission.Restore.Newest();
    }
    return fromCheckpoint.equals(NONE)
        ? new Submission.Restore.Nothing()
        : new Submission.Restore.From(FlinkPath.of(CheckpointHome.parse(fromCheckpoint)));
  }

  private Submission.Code code() {
    if (jar == null) {
      return new Submission.Code(ownCode(), Optional.empty());
    }
    return jar.equals(NONE)
        ? new Submission.Code(ownCode(), Optional.of(false))
        : new Submission.Code(Path.of(jar).toAbsolutePath(), Optional.of(true));
  }

  private static Path ownCode() {
    try {
      return Path.of(
          SubmitCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("classes without a code source", e);
    }
  }
}
