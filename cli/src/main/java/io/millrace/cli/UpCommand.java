package io.millrace.cli;

import io.millrace.cli.console.EngineLog;
import io.millrace.cli.console.MinimumMemory;
import io.millrace.cli.console.RuntimeOptions;
import io.millrace.cli.console.Stages;
import io.millrace.cli.console.Stopper;
import io.millrace.cli.console.UsageException;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.server.runtime.DataDirectory;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "up",
    description = {
      "Run an instance: collect, join, analyse and store flows of switches and routers. Send "
          + "sFlow to UDP port 6343 of this machine, NetFlow to 2055, IPFIX to 4739. All data is "
          + "under --data; an instance restarted on the same directory resumes where it stopped. Stops at "
          + "Ctrl-C."
    })
final class UpCommand implements Callable<Integer> {
  private static final String ANY_ADDRESS = "0.0.0.0:";

  @Spec private CommandSpec spec;
  @Mixin private RuntimeOptions options;

  @Option(
      names = "--print",
      description =
          "Print changed pipeline results at each interval; of gateways, only the ten with the "
              + "most bytes of each day.")
  private boolean print;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    long started = System.nanoTime();
    MillraceConfig config = options.config();
    DataDirectory.checkVersion(config.data()); // before any file is changed
    List<Pipeline.News> news =
        config.running().stream().flatMap(each -> each.news().stream()).toList();
    if (print && news.isEmpty()) {
      throw new UsageException(
          config.pipelines().stream()
              .filter(each -> each.news().isPresent())
              .map(each -> each.name() + ".enabled: true")
              .collect(
                  Collectors.joining(" or ", "--print has nothing to print; set ", " in -c FILE")));
    }
    MinimumMemory.require();
    Millrace.checkPorts(config); // before any file is created
    DataDirectory.checkSpace(config.data());
    DataDirectory.keepTemporaryFiles(config.data());
    boolean hasNetworks = config.datasets().containsKey("asn");
    config = RuntimeOptions.withAsOfExporters(config);
    out.printf("millrace up: starting %s%n", Stages.parts(config));
    try (Stopper stopper = new Stopper();
        EngineLog engines = EngineLog.into(config.data());
        Millrace millrace = new Millrace(config, new Stages(out, started))) {
      millrace.start();
      out.printf(
          "millrace is up after %.1f s on %s%n",
          (System.nanoTime() - started) / 1e9, millrace.data());
      firstSteps(millrace.url(), millrace.listening()).forEach(out::println);
      out.println();
      if (config.job().run() == FlinkConfig.Place.HERE) {
        millrace
            .job()
            .restored()
            .ifPresentOrElse(
                id -> out.printf("  resumes from checkpoint %d%n", id),
                () -> out.println("  starts without a checkpoint"));
      } else {
        out.printf(
            "  job       on a cluster: run millrace submit flows --kafka %s …%n",
            millrace.bootstrapServers());
        for (Pipeline pipeline : config.running()) {
          if (pipeline instanceof LogPipeline && !pipeline.name().equals(FlowsPipeline.NAME)) {
            out.printf("            and, for %1$s, millrace submit %1$s%n", pipeline.name());
          }
        }
      }
      millrace
          .storeAddress()
          .ifPresent(
              address ->
                  out.printf(
                      "  writers   %s:%d/tcp%n",
                      address.getAddress().getHostAddress(), address.getPort()));
      millrace.ingest().ifPresent(ingest -> out.printf("  records   %s%n", ingest.url()));
      if (config.flight().enabled() && config.flight().port() != 0) {
        out.printf(
            "  JDBC      jdbc:arrow-flight-sql://%s:%d?useEncryption=%b%n",
            config.flight().address(),
            config.flight().port(),
            config.http().tlsCertificate() != null);
      }
      out.printf("  log file  %s%n", engines.file());
      if (config.http().requiresToken()) {
        out.println("  access    by token; export MILLRACE_TOKEN for commands");
      }
      if (!hasNetworks) {
        out.println(
            "  AS        as reported by exporters; set datasets.asn in -c FILE for a table");
      }
      MinimumMemory.advice(config.store().memoryBytes())
          .ifPresent(text -> out.println("! " + text));
      millrace.facts().problems().forEach(problem -> out.println("! " + problem));
      out.flush();
      try (NewsPrinter printer = new NewsPrinter(print ? news : List.of(), millrace.store(), out)) {
        stopper.await();
      }
      spec.commandLine().getErr().println("millrace: stopping; storing received data first");
    }
    return 0;
  }

  /** Lines for new users: URL of the console, addresses for exporters, a first query. */
  static List<String> firstSteps(String url, List<String> listening) {
    List<String> ports =
        listening.stream()
            .filter(each -> each.startsWith(ANY_ADDRESS))
            .map(each -> each.substring(ANY_ADDRESS.length()))
            .toList();
    String collectors =
        ports.size() == listening.size()
            ? "UDP port " + String.join(", ", ports) + " of this machine"
            : String.join(", ", listening) + "/udp";
    String named = url.equals(InstanceOption.DEFAULT_URL) ? "" : " --url " + url;
    return List.of(
        "  console   " + url,
        "  send      sFlow, NetFlow or IPFIX to " + collectors,
        "  query     millrace top addr%1$s; if it is empty, millrace doctor%1$s".formatted(named));
  }
}
