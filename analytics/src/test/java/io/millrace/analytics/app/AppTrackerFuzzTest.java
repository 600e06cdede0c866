package io.millrace.analytics.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.analytics.flowtable.Packet;
import io.millrace.analytics.flowtable.TestPackets;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.pcap.CaptureException;
import io.millrace.wire.pcap.CaptureReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Any packets: no exception, bounded state, and every packet is counted somewhere. */
class AppTrackerFuzzTest {
  private static final int MAX_FLOWS = 5_000;
  private static final long HEAD_MEMORY = 4 << 20;
  private static final int TURNS = Boolean.getBoolean("millrace.long") ? 10_000_000 : 150_000;

  /** Reasons for which a packet belongs to no flow. */
  private static final Set<PacketReject> REJECTED =
      EnumSet.of(
          PacketReject.NOT_IP,
          PacketReject.UNKNOWN_LINK,
          PacketReject.SHORT_FRAME,
          PacketReject.CUT_IP_HEADER,
          PacketReject.BAD_IP_HEADER,
          PacketReject.CUT_TRANSPORT_HEADER,
          PacketReject.BAD_TRANSPORT_HEADER);

  private long told;
  private long toldPackets;
  private final AppTracker tracker =
      new AppTracker(
          new FlowTableConfig(
              MAX_FLOWS, 60_000_000, 300_000_000, 15_000_000, 1_800_000_000, 16_384, HEAD_MEMORY),
          IpLayer.INNER,
          AppNames.builtIn(),
          flow -> {
            told++;
            toldPackets += flow.packets();
          });

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Frame(LinkType link, byte[] bytes) {}

  private static List<Frame> frames(Path folder, int max) throws IOException {
    List<Frame> frames = new ArrayList<>();
    for (Path file : SharedCaptures.in(folder)) {
      try (InputStream in = Files.newInputStream(file)) {
        CaptureReader reader = CaptureReader.open(in);
        for (int i = 0; i < max && reader.next(); i++) {
          int from = reader.offset();
          byte[] bytes = Arrays.copyOfRange(reader.bytes(), from, from + reader.length());
          frames.add(new Frame(reader.linkType(), bytes));
        }
      } catch (CaptureException e) {
        // packets before the damage are enough
      }
    }
    return frames;
  }

  private void packet(long micros, Frame frame) {
    tracker.packet(micros, frame.link(), frame.bytes(), 0, frame.bytes().length);
    assertThat(tracker.openFlows()).isLessThanOrEqualTo(MAX_FLOWS);
    assertThat(tracker.headBytes()).isBetween(0L, HEAD_MEMORY);
  }

  private void assertAllIsTold() {
    tracker.endAll();
    assertThat(tracker.openFlows()).isZero();
    assertThat(tracker.headBytes()).isZero();
    assertThat(told).isGreaterThanOrEqualTo(tracker.flows());
    long rejected = REJECTED.stream().mapToLong(reason -> tracker.rejects().count(reason)).sum();
    assertThat(toldPackets + rejected).isLessThanOrEqualTo(tracker.packets());
  }

  @Test
  void malformedCapturesAreReadOrCounted() throws IOException {
    Path folder = SharedCaptures.folder("malformed");
    assumeThat(folder).as("malformed captures").isDirectory();
    List<Frame> frames = frames(folder, Integer.MAX_VALUE);
    assertThat(frames).isNotEmpty();
    for (int i = 0; i < frames.size(); i++) {
      packet(i, frames.get(i));
    }
    assertAllIsTold();
  }

  @Test
  void mutatedPacketsAreReadOrCounted() throws IOException {
    Path folder = SharedCaptures.folder("apps");
    assumeThat(folder).as("captures of applications").isDirectory();
    List<Frame> seeds = frames(folder, 30);
    seeds.addAll(frames(SharedCaptures.folder("gtp"), 30));
    Random random = new Random(5);
    for (int turn = 0; turn < TURNS; turn++) {
      Frame seed = seeds.get(random.nextInt(seeds.size()));
      byte[] bytes = seed.bytes().clone();
      for (int i = random.nextInt(6); i > 0 && bytes.length > 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length + 1) : bytes.length;
      packet(turn * 100L, new Frame(seed.link(), Arrays.copyOf(bytes, length)));
    }
    for (PacketReject reason : PacketReject.values()) {
      assertThat(tracker.rejects().count(reason)).as(reason.label()).isPositive();
    }
    if (TURNS > 1_000_000) {
      System.out.println("AppTrackerFuzzTest: " + tracker.rejects().lines());
    }
    assertAllIsTold();
  }

  @Test
  void floodsOfNewFlowsAreBoundedAndCounted() {
    Random random = new Random(9);
    int packets = 200_000;
    for (int i = 0; i < packets; i++) {
      boolean isSyn = random.nextBoolean();
      byte[] bytes =
          isSyn
              ? TestPackets.tcp(
                  random.nextInt(), random.nextInt(65_536), 1, 80, Packet.SYN, 5, new byte[0])
              : TestPackets.udp(
                  random.nextInt(), random.nextInt(65_536), 1, random.nextInt(65_536), new byte[9]);
      packet(i, new Frame(LinkType.RAW_IP, bytes));
    }
    assertThat(tracker.openFlows()).isEqualTo(MAX_FLOWS);
    assertThat(tracker.evicted()).isEqualTo(tracker.flows() - MAX_FLOWS);
    assertAllIsTold();
    assertThat(toldPackets).isEqualTo(packets);
  }
}
