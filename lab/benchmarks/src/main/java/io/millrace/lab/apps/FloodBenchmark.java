package io.millrace.lab.apps;

import io.millrace.analytics.app.AppFlow;
import io.millrace.analytics.app.AppNames;
import io.millrace.analytics.app.AppTracker;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seed;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.wire.packet.BigEndian;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Random;
import picocli.CommandLine.Mixin;

/**
 * A flood of new flows within the trace of {@link AppsBenchmark}: after each packet a SYN or a
 * datagram from a new address and port. Measures the slowdown per packet on one thread, and checks
 * that the flows of the trace still have their applications.
 */
public final class FloodBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seed seedOption = new Seed();

  private static final int PACKETS = 400_000;
  private static final int WARM_UP = 3;
  private static final int ROUNDS = 5;
  private static final double MIN_AGREEMENT = 0.98;
  private static final double MAX_SLOWDOWN = 2;
  private static final int IP_LENGTH = 20;
  private static final int FLOOD_LENGTH = IP_LENGTH + 20;
  private static final int FLOOD_SERVER = 0xC6336401;
  private static final int CLIENT_NETWORK = 10;
  private static final AppNames NAMES = AppNames.builtIn();

  private final Random random = new Random(7);
  private long right;
  private long evicted;

  public FloodBenchmark() {
    super(
        "apps.flood",
        "a flood of new flows among packets with payload: slowdown per packet",
        Duration.ofSeconds(20));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    int packets = (int) Math.min(PACKETS * 2L, rowsOption.or(PACKETS));
    context.progress().accept("generating " + packets + " packets");
    AppTrace trace = new AppTrace(packets, seedOption.or(1));
    FlowTableConfig table = table(packets);
    int rounds = rowsOption.rounds(ROUNDS);
    double[] alone = new double[rounds];
    double[] slowdowns = new double[rounds];
    for (int round = -WARM_UP; round < rounds; round++) {
      context.progress().accept("round " + (round + WARM_UP + 1));
      double calm = nanosAPacket(trace, table, false);
      check(trace);
      double flooded = nanosAPacket(trace, table, true);
      check(trace);
      if (evicted == 0) {
        throw new WrongResultException("the flood evicted no flow");
      }
      if (round >= 0) {
        alone[round] = calm;
        slowdowns[round] = flooded / calm;
      }
    }
    context.report(
        Figure.of(name(), "ratio", BenchContext.median(slowdowns), "times")
            .with("packets", trace.packets())
            .with("evicted_flows", evicted)
            .with("calm_ns_per_packet", Math.round(BenchContext.median(alone)))
            .aiming(Figure.Target.atMost(MAX_SLOWDOWN)));
  }

  /** Half the size of the flood, so that the table is full. */
  private static FlowTableConfig table(int packets) {
    FlowTableConfig defaults = FlowTableConfig.defaults();
    return new FlowTableConfig(
        Math.min(defaults.maxFlows(), packets / 2),
        defaults.idleMicros(),
        defaults.tcpIdleMicros(),
        defaults.shortIdleMicros(),
        defaults.activeMicros(),
        defaults.headBytes(),
        defaults.headMemoryBytes());
  }

  private double nanosAPacket(AppTrace trace, FlowTableConfig table, boolean isFlooded) {
    right = 0;
    byte[] file = trace.file();
    ByteBuffer numbers = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    byte[] flood = flood(isFlooded ? trace.packets() : 0);
    int next = 0;
    long start = System.nanoTime();
    try (AppTracker tracker =
        new AppTracker(table, IpLayer.INNER, NAMES, flow -> count(trace, flow))) {
      int at = AppTrace.start();
      while (at < trace.end()) {
        long micros = numbers.getInt(at) * 1_000_000L + numbers.getInt(at + 4);
        int length = numbers.getInt(at + 8);
        tracker.packet(micros, LinkType.ETHERNET, file, at + AppTrace.RECORD_HEADER, length);
        if (isFlooded) {
          tracker.packet(micros, LinkType.IPV4, flood, next, FLOOD_LENGTH);
          next += FLOOD_LENGTH;
        }
        at += AppTrace.RECORD_HEADER + length;
      }
      tracker.endAll();
      evicted = tracker.evicted();
    }
    double nanos = System.nanoTime() - start;
    return nanos / (isFlooded ? 2L * trace.packets() : trace.packets());
  }

  /** Consecutive packets, each a SYN or a datagram to any port; none from a client of the trace. */
  private byte[] flood(int packets) {
    byte[] flood = new byte[packets * FLOOD_LENGTH];
    for (int at = 0; at < flood.length; at += FLOOD_LENGTH) {
      boolean isSyn = random.nextBoolean();
      int transport = at + IP_LENGTH;
      flood[at] = 0x45;
      BigEndian.put16(flood, at + 2, FLOOD_LENGTH);
      flood[at + 9] = (byte) (isSyn ? 6 : 17);
      BigEndian.put32(flood, at + 12, random.nextInt() | 0x80000000);
      BigEndian.put32(flood, at + 16, FLOOD_SERVER);
      BigEndian.put16(flood, transport, random.nextInt());
      BigEndian.put16(flood, transport + 2, isSyn ? 443 : random.nextInt());
      BigEndian.put16(flood, transport + 4, isSyn ? random.nextInt() : FLOOD_LENGTH - IP_LENGTH);
      BigEndian.put16(flood, transport + 12, 0x5002);
    }
    return flood;
  }

  private void count(AppTrace trace, AppFlow flow) {
    int client = (int) flow.clientLow();
    if (client >>> 24 == CLIENT_NETWORK
        && flow.app().equals(trace.app(client, flow.clientPort()))) {
      right++;
    }
  }

  private void check(AppTrace trace) {
    if (right < trace.identifiable() * MIN_AGREEMENT) {
      throw new WrongResultException(
          right + " of " + trace.identifiable() + " flows have the right application");
    }
  }
}
