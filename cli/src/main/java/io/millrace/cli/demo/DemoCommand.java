package io.millrace.cli.demo;

import io.millrace.cli.capture.PacketSender;
import io.millrace.cli.console.EngineLog;
import io.millrace.cli.console.EscapingWriter;
import io.millrace.cli.console.LeastMemory;
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

/** {@code millrace demo}: everything at once, with generated traffic. */
@Command(
    name = "demo",
    description = {
      "Show the whole way with nothing else installed: generated exchange-point traffic is sent as"
          + " real sFlow over UDP, goes through an embedded Kafka and an embedded Flink, is joined"
          + " with AS and DNS names, and sits in SQL. Prints the top ten, the heaviest destination"
          + " and what rises while it runs. Ends after --seconds, or at Ctrl-C; what it stored is"
          + " deleted unless --data says where to keep it."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final Duration FRAME = Duration.ofSeconds(1);

  /** Flows that last are told in parts of this length, for whoever watches. */
  private static final Duration LIVE = Duration.ofSeconds(1);

  /** Without a terminal nobody watches a table move. */
  private static final Duration QUIET_FRAME = Duration.ofSeconds(5);

  @Spec private CommandSpec spec;
  @Mixin private RuntimeOptions options;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "End after so many seconds of traffic.")
  private Integer seconds;

  @Option(
      names = "--rate",
      paramLabel = "SAMPLES",
      description = "Samples a second; 20000 by default.")
  private int rate = 20_000;

  @Option(
      names = "--asn",
      paramLabel = "FILE",
      description = "AS table to draw networks from and to join with, in place of the bundled one.")
  private List<Path> asn = new ArrayList<>();

  @Option(names = "--seed", paramLabel = "N", description = "Other traffic; 1 by default.")
  private long seed = 1;

  @Option(
      names = "--no-history",
      description =
          "Without the past: else coarse traffic of the 15 days before is loaded while the demo runs,"
              + " so that there is something to compare with (not with --data or --config).")
  private boolean withoutHistory;

  @Option(
      names = "--pcap",
      paramLabel = "FILE",
      description =
          "A capture in place of generated traffic, at its own pace: its packets are counted, and"
              + " their applications, their subscribers and what is heavy among them are shown.")
  private Path capture;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (capture != null && !Files.isReadable(capture)) { // before anything is started
      throw new IOException(capture + ": no such file, or none that may be read");
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
      } finally { // before the stopper lets the process end
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
          .printf("millrace: cannot delete %s: %s; delete it%n", scratch.path(), e.getMessage());
    }
  }

  private void run(PrintWriter out, Stopper stopper, Path scratch)
      throws IOException, InterruptedException {
    LeastMemory.require();
    long started = System.nanoTime();
    boolean hasHistory = !withoutHistory && capture == null && !options.namesData();
    MillraceConfig config = options.demoConfig(scratch, asn);
    if (hasHistory) { // else the first week of it would go at once
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
        Path made = config.data(); // beside the store, where there is room
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

  /** With all that packets can be asked; what looks at flows looks at them. */
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

  /** Shows what is made of the capture while that is sent. */
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

  /** As soon as the first of the live rows can be seen. */
  private void load(DemoHistory history, Path directory, Millrace millrace) {
    while (millrace.table().rows() == 0 && !history.isStopped()) {
      LockSupport.parkNanos(FRAME.toNanos() / 10);
    }
    try {
      history.write(directory, millrace.imports());
    } catch (IOException | StoreException e) {
      spec.commandLine().getErr().println("millrace: no history: " + e.getMessage());
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

  /** Lets what is on its way arrive, so that the last line says what became of everything. */
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
        sent, stored, lost, drained ? "" : " + on their way", millrace.table().rows());
    out.flush();
  }
}
