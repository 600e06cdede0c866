package io.millrace.cli.demo;

import io.millrace.cli.capture.PacketSender;
import io.millrace.cli.console.EngineLog;
import io.millrace.cli.console.EscapingWriter;
import io.millrace.cli.console.MinimumMemory;
import io.millrace.cli.console.Progress;
import io.millrace.cli.console.RuntimeOptions;
import io.millrace.cli.console.Stages;
import io.millrace.cli.console.Stopper;
import io.millrace.cli.console.Terminal;
import io.millrace.pipelines.FlowInput;
import io.millrace.pipelines.apps.AppsConfig;
import io.millrace.pipelines.apps.AppsPipeline;
import io.millrace.pipelines.count.CountConfig;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.pipelines.flowtrends.FlowTrendsPipeline;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.RetentionConfig;
import io.millrace.store.StoreException;
import io.millrace.traffic.DemoData;
import io.millrace.traffic.ExporterSockets;
import io.millrace.traffic.Pace;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.UdpSender;
import io.millrace.traffic.model.NetworkCsv;
import io.millrace.traffic.model.NetworkRange;
import io.millrace.traffic.model.RangeAddressPool;
import io.millrace.traffic.model.TrafficConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "demo",
    description = {
      "Run a complete instance on generated traffic: sFlow of a simulated exchange point is sent "
          + "over UDP, collected into an embedded Kafka, joined with AS and DNS names by an "
          + "embedded Flink, stored, and queried in SQL. Prints the ten largest AS pairs and name "
          + "pairs, the heaviest destination, and a rising one.  Stops after --seconds or at "
          + "Ctrl-C; its data is deleted unless --data is given."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final Duration FRAME = Duration.ofSeconds(1);

  /** Active timeout; short, so that a demo shows flows soon. */
  private static final Duration LIVE = Duration.ofSeconds(1);

  private static final Duration QUIET_FRAME = Duration.ofSeconds(5);

  @Spec private CommandSpec spec;
  @Mixin private RuntimeOptions options;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Stop after this many seconds of traffic.")
  private Integer seconds;

  @Option(
      names = "--rate",
      paramLabel = "SAMPLES",
      description = "Samples per second; 20000 by default.")
  private int rate = 20_000;

  @Option(
      names = "--asn",
      paramLabel = "FILE",
      description =
          "AS table used to generate networks and to join flows, instead of the bundled one.")
  private List<Path> asn = new ArrayList<>();

  @Option(names = "--seed", paramLabel = "N", description = "Random seed; 1 by default.")
  private long seed = 1;

  @Option(
      names = "--no-history",
      description =
          "Do not load history. By default, coarsely sampled traffic of the preceding 15 days is "
              + "imported while the demo runs, for comparisons (not with --data or --config).")
  private boolean withoutHistory;

  @Option(
      names = "--pcap",
      paramLabel = "FILE",
      description =
          "Capture to replay in real time instead of generated traffic: shows its packet "
              + "counts, applications, subscribers and heavy hitters.")
  private Path capture;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (capture != null && !Files.isReadable(capture)) { // checked before the start
      throw new IOException(capture + ": no such file, or not readable");
    }
    if (options.namesData()) {
      try (Stopper stopper = new Stopper()) {
        run(out, stopper, null);
      }
      return 0;
    }
    DemoDirectory scratch = DemoDirectory.in(Path.of(System.getProperty("java.io.tmpdir")));
    try (Stopper stopper = new Stopper(() -> remove(scratch))) {
      try {
        run(out, stopper, scratch.path());
      } finally { // before the stopper lets the process exit
        remove(scratch);
      }
    }
    return 0;
  }

  private void remove(DemoDirectory scratch) {
    try {
      scratch.close();
    } catch (IOException e) {
      spec.commandLine()
          .getErr()
          .printf(
              "millrace: cannot delete %s: %s; delete it manually%n",
              scratch.path(), e.getMessage());
    }
  }

  private void run(PrintWriter out, Stopper stopper, Path scratch)
      throws IOException, InterruptedException {
    MinimumMemory.require();
    long started = System.nanoTime();
    boolean hasHistory = !withoutHistory && capture == null && !options.namesData();
    MillraceConfig config = options.demoConfig(scratch, asn);
    if (hasHistory) { // the default retention would delete the older week immediately
      Duration kept = DemoHistory.LENGTH.plusDays(1);
      config = config.withSection(config.store().withRetention(new RetentionConfig(kept, 0)));
    }
    if (capture != null) {
      config = ofPackets(config);
    }
    out.println("millrace demo: starting " + Stages.parts(config));
    try (EngineLog engines = EngineLog.into(config.data());
        Millrace millrace = new Millrace(config, new Stages(out, started))) {
      millrace.start();
      double startSeconds = (System.nanoTime() - started) / 1e9;
      boolean hasHeavyAndRising =
          config.pipeline(HittersPipeline.class).enabled()
              && config.pipeline(FlowTrendsPipeline.class).enabled();
      if (capture != null) {
        count(millrace, hasHeavyAndRising, out, stopper);
        return;
      }
      TrafficConfig traffic =
          TrafficConfig.defaults(seed, System.currentTimeMillis() * 1_000)
              .withSamplesPerSecond(rate)
              .withoutRhythm();
      RangeAddressPool pool = pool();
      TrafficGenerator generator = new TrafficGenerator(traffic, pool);
      try (ExporterSockets sockets =
          new ExporterSockets(
              generator,
              new InetSocketAddress(InetAddress.getLoopbackAddress(), millrace.udpPort()))) {
        UdpSender sender = new UdpSender(generator, sockets);
        Thread thread = new Thread(() -> send(sender), "millrace-demo-traffic");
        thread.setDaemon(true);
        thread.start();
        DemoHistory history = new DemoHistory(seed, rate, pool);
        Path made = config.data(); // the disk of the store has enough space
        Thread past = new Thread(() -> load(history, made, millrace), "millrace-demo-history");
        past.setDaemon(true);
        if (hasHistory) {
          past.start();
        }
        DemoScreen screen = new DemoScreen(millrace, startSeconds, rate, hasHeavyAndRising);
        show(() -> screen.text() + (hasHistory ? history.text() : ""), out, stopper);
        sender.stop();
        thread.join();
        history.stop();
        past.join();
      }
      finish(millrace, out);
    }
  }

  /** Enables the pipelines that read packets, and lets flow pipelines read packet flows. */
  private static MillraceConfig ofPackets(MillraceConfig config) {
    HittersPipeline heavy = config.pipeline(HittersPipeline.class);
    FlowTrendsPipeline rising = config.pipeline(FlowTrendsPipeline.class);
    AppsConfig apps = config.pipeline(AppsPipeline.class).config();
    return config
        .with(new CountPipeline(CountConfig.defaults().running(1, true)))
        .with(new AppsPipeline(apps.running(1).withActive(LIVE)))
        .with(new HittersPipeline(heavy.config().withInput(FlowInput.PACKETS)))
        .with(new FlowTrendsPipeline(rising.config().withInput(FlowInput.PACKETS)));
  }

  private void count(Millrace millrace, boolean hasHeavyAndRising, PrintWriter out, Stopper stopper)
      throws InterruptedException {
    Thread thread = new Thread(() -> send(millrace), "millrace-demo-capture");
    thread.setDaemon(true);
    thread.start();
    PacketScreen screen =
        new PacketScreen(millrace, capture.getFileName().toString(), hasHeavyAndRising);
    show(screen::text, out, stopper);
  }

  private void send(Millrace millrace) {
    try (PacketSender sender = new PacketSender(millrace.bootstrapServers(), 1);
        Progress progress = new Progress(capture.getFileName().toString())) {
      sender.send(capture, progress);
      sender.finish();
    } catch (IOException e) {
      spec.commandLine().getErr().println("millrace: " + capture + ": " + e.getMessage());
    }
  }

  private void send(UdpSender sender) {
    try {
      var unused =
          sender.send(
              Pace.samplesPerSecond(rate), Long.MAX_VALUE, Long.MAX_VALUE, UdpSender.Listener.NONE);
    } catch (IOException e) {
      spec.commandLine().getErr().println("millrace: the demo's traffic ended: " + e.getMessage());
    }
  }

  /** Loads the history once the first live rows are visible. */
  private void load(DemoHistory history, Path directory, Millrace millrace) {
    while (millrace.table().rows() == 0 && !history.isStopped()) {
      LockSupport.parkNanos(FRAME.toNanos() / 10);
    }
    try {
      history.write(directory, millrace.imports());
    } catch (IOException | StoreException e) {
      spec.commandLine().getErr().println("millrace: cannot load history: " + e.getMessage());
    }
  }

  private RangeAddressPool pool() throws IOException {
    if (asn.isEmpty()) {
      return DemoData.pool();
    }
    List<NetworkRange> ranges = new ArrayList<>();
    for (Path file : asn) {
      ranges.addAll(NetworkCsv.readRanges(file));
    }
    return new RangeAddressPool(ranges, DemoData.names(ranges));
  }

  private void show(Supplier<String> screen, PrintWriter out, Stopper stopper)
      throws InterruptedException {
    boolean moving = Terminal.isStandardOutput();
    long end = seconds == null ? Long.MAX_VALUE : System.nanoTime() + seconds * 1_000_000_000L;
    while (true) {
      long left = end - System.nanoTime();
      Duration frame = moving ? FRAME : QUIET_FRAME;
      boolean last = left <= frame.toNanos();
      boolean stopped = stopper.await(last ? Duration.ofNanos(Math.max(0, left)) : frame);
      if (moving) {
        EscapingWriter.clear(out);
      }
      out.println(screen.get());
      out.flush();
      if (last || stopped) {
        return;
      }
    }
  }

  /** Drains the data flow, so that the last line accounts for every datagram. */
  private static void finish(Millrace millrace, PrintWriter out) {
    boolean drained = millrace.awaitDrained(Duration.ofSeconds(10));
    long sent = 0;
    long stored = 0;
    long lost = 0;
    for (var entry : millrace.ledger().exporters()) {
      sent += entry.collected().sent();
      stored += entry.job().stored();
      lost += entry.lost();
    }
    out.printf(
        "sent %,d datagrams = stored %,d + lost %,d%s; rows in flows: %,d%n",
        sent, stored, lost, drained ? "" : " + in flight", millrace.table().rows());
    out.flush();
  }
}
