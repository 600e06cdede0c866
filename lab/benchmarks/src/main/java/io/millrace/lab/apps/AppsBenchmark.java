package io.millrace.lab.apps;

import io.millrace.analytics.app.AppFlow;
import io.millrace.analytics.app.AppNames;
import io.millrace.analytics.app.AppTracker;
import io.millrace.analytics.app.ClassifierKind;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seed;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.packet.BigEndian;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;

/**
 * Rate from packets to flows with their applications: a synthetic trace with payload in memory, on
 * one thread and on two, to which packets are distributed by a hash of their ends as by a network
 * card with two queues. Compared with nDPI's reader on the same trace.
 */
public final class AppsBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seed seedOption = new Seed();

  private static final int PACKETS = 400_000;
  private static final int MAX_THREADS = 2;
  private static final int WARM_UP = 8;
  private static final int ROUNDS = 7;
  private static final double TARGET_RATE = 2e6;
  private static final double MIN_AGREEMENT = 0.98;
  private static final AppNames NAMES = AppNames.builtIn();

  public AppsBenchmark() {
    super(
        "apps",
        "applications of packets with payload: rate, compared with ndpiReader on the same trace",
        Duration.ofSeconds(40));
  }

  /** Share of a thread: offsets of its packets, and counts of its results. */
  private static final class Share {
    private int[] places;
    private int count;
    private long flows;
    private long right;
    private long packets;

    Share(int most) {
      places = new int[most];
    }

    void add(int place) {
      places[count++] = place;
    }
  }

  @Override
  public void run(BenchContext context) throws Exception {
    int packets = (int) Math.min(PACKETS * 2L, rowsOption.or(PACKETS));
    context.progress().accept("generating " + packets + " packets");
    AppTrace trace = new AppTrace(packets, seedOption.or(1));
    context
        .lines()
        .accept(
            "apps; "
                + trace.flows()
                + " flows, "
                + trace.bytes() / trace.packets()
                + " bytes per packet; published: such analyzers on 16 cores, no rate");
    double alone = 0;
    for (int threads = 1; threads <= MAX_THREADS; threads++) {
      Figure figure = rate(context, trace, ClassifierKind.BUILT_IN, threads);
      alone = threads == 1 ? figure.value() : alone;
      context.report(
          threads == MAX_THREADS ? figure.aiming(Figure.Target.atLeast(TARGET_RATE)) : figure);
    }
    if (ClassifierKind.NDPI.missing().isEmpty()) {
      context.report(rate(context, trace, ClassifierKind.NDPI, 1));
    }
    beside(context, trace, alone);
  }

  private Figure rate(BenchContext context, AppTrace trace, ClassifierKind classifier, int threads)
      throws Exception {
    context
        .progress()
        .accept(classifier + ", " + threads + (threads == 1 ? " thread" : " threads"));
    boolean isBuiltIn = classifier == ClassifierKind.BUILT_IN;
    List<Share> shares = deal(trace, threads);
    int warmUp = isBuiltIn ? WARM_UP : 1;
    int rounds = isBuiltIn ? rowsOption.rounds(ROUNDS) : Math.min(3, rowsOption.rounds(3));
    double[] rates = new double[warmUp + rounds];
    for (int round = 0; round < rates.length; round++) {
      long start = System.nanoTime();
      List<Thread> running = new ArrayList<>();
      for (Share share : shares) {
        Thread thread = new Thread(() -> track(trace, classifier, share), "bench-apps");
        thread.start();
        running.add(thread);
      }
      for (Thread thread : running) {
        thread.join();
      }
      rates[round] = trace.packets() / ((System.nanoTime() - start) / 1e9);
      check(trace, shares, isBuiltIn);
    }
    double rate = BenchContext.median(Arrays.copyOfRange(rates, warmUp, rates.length));
    return Figure.of(name(), "rate", rate, "packets")
        .with("classifier", classifier.toString())
        .with("threads", threads)
        .with("gbit_per_s", rate * trace.bytes() / trace.packets() * 8 / 1e9);
  }

  /** Both directions of a flow go to the same share. */
  private static List<Share> deal(AppTrace trace, int threads) {
    List<Share> shares = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      shares.add(new Share(trace.packets()));
    }
    byte[] file = trace.file();
    int at = AppTrace.start();
    while (at < trace.end()) {
      int ip = at + AppTrace.RECORD_HEADER + 14;
      int ends =
          BigEndian.i32(file, ip + 12)
              + BigEndian.i32(file, ip + 16)
              + BigEndian.u16(file, ip + 20)
              + BigEndian.u16(file, ip + 22);
      shares.get(Math.floorMod((ends * 0x9E3779B9) >>> 16, threads)).add(at);
      at += AppTrace.RECORD_HEADER + length(file, at);
    }
    return shares;
  }

  private static int length(byte[] file, int at) {
    return ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getInt(at + 8);
  }

  private static void track(AppTrace trace, ClassifierKind classifier, Share share) {
    share.flows = 0;
    share.right = 0;
    share.packets = 0;
    track(trace, classifier, share, flow -> count(trace, share, flow));
  }

  private static void track(
      AppTrace trace, ClassifierKind classifier, Share share, Consumer<AppFlow> over) {
    byte[] file = trace.file();
    ByteBuffer numbers = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    try (AppTracker tracker =
        new AppTracker(FlowTableConfig.defaults(), IpLayer.INNER, classifier, NAMES, over)) {
      for (int i = 0; i < share.count; i++) {
        int at = share.places[i];
        long micros = numbers.getInt(at) * 1_000_000L + numbers.getInt(at + 4);
        int from = at + AppTrace.RECORD_HEADER;
        tracker.packet(micros, LinkType.ETHERNET, file, from, numbers.getInt(at + 8));
      }
      tracker.endAll();
    }
  }

  private static void count(AppTrace trace, Share share, AppFlow flow) {
    share.flows++;
    share.packets += flow.packets();
    if (flow.app().equals(trace.app((int) flow.clientLow(), flow.clientPort()))) {
      share.right++;
    }
  }

  private static void check(AppTrace trace, List<Share> shares, boolean isBuiltIn)
      throws WrongResultException {
    long flows = shares.stream().mapToLong(share -> share.flows).sum();
    long right = shares.stream().mapToLong(share -> share.right).sum();
    WrongResultException.check(
        "packets of flows",
        (long) trace.packets(),
        shares.stream().mapToLong(share -> share.packets).sum());
    WrongResultException.check("flows", (long) trace.flows(), flows);
    if (isBuiltIn && right < trace.identifiable() * MIN_AGREEMENT) {
      throw new WrongResultException(
          right + " of " + trace.identifiable() + " flows have the right application");
    }
  }

  private void beside(BenchContext context, AppTrace trace, double alone) throws Exception {
    Optional<String> missing = NdpiReader.missing();
    if (missing.isPresent()) {
      context.lines().accept("apps: not compared with nDPI: " + missing.get());
      return;
    }
    context.progress().accept("ndpiReader");
    Path capture = context.directory().resolve("apps.pcap");
    trace.write(capture);
    double ndpi = NdpiReader.rate(capture, context.directory());
    context.report(
        Figure.of(name(), "rate", ndpi, "packets")
            .with("classifier", "ndpiReader")
            .with("threads", 1));
    context.report(
        Figure.of(name(), "ratio", alone / ndpi, "")
            .with("classifier", ClassifierKind.BUILT_IN.toString())
            .with("threads", 1)
            .with("to", "ndpiReader")
            .aiming(Figure.Target.atLeast(1)));
    agreement(context, trace, NdpiReader.flows(capture, context.directory()));
  }

  /**
   * Reports how many flows that nDPI identifies have the same application, in total and by
   * application protocol.
   */
  private void agreement(BenchContext context, AppTrace trace, Map<String, String> named) {
    Map<String, long[]> byProtocol = new TreeMap<>();
    long[] all = new long[2];
    track(
        trace,
        ClassifierKind.BUILT_IN,
        deal(trace, 1).get(0),
        flow -> {
          String ndpi = named.get(ends(flow));
          if (ndpi != null && !ndpi.equals(AppFlow.UNKNOWN_APP)) {
            int isSame = ndpi.substring(ndpi.lastIndexOf('.') + 1).equals(flow.app()) ? 1 : 0;
            String protocol = ndpi.split("\\.", 2)[0];
            for (long[] sum :
                List.of(all, byProtocol.computeIfAbsent(protocol, key -> new long[2]))) {
              sum[0] += isSame;
              sum[1]++;
            }
          }
        });
    byProtocol.forEach(
        (protocol, sum) ->
            context
                .lines()
                .accept("apps: %s: %d of %d flows as nDPI".formatted(protocol, sum[0], sum[1])));
    context.report(
        Figure.of(name(), "agreement", 100.0 * all[0] / Math.max(1, all[1]), "%")
            .with("classifier", ClassifierKind.BUILT_IN.toString())
            .with("to", "ndpiReader")
            .with("flows", all[1]));
  }

  private static String ends(AppFlow flow) {
    return NdpiReader.ends(
        Addresses.toText(flow.clientHigh(), flow.clientLow()) + ":" + flow.clientPort(),
        Addresses.toText(flow.serverHigh(), flow.serverLow()) + ":" + flow.serverPort());
  }
}
