package io.millrace.analytics.app;

import static io.millrace.analytics.app.GtpMessages.GGSN;
import static io.millrace.analytics.app.GtpMessages.SGSN;
import static io.millrace.analytics.app.GtpMessages.agreeing;
import static io.millrace.analytics.app.GtpMessages.asking;
import static io.millrace.analytics.app.GtpMessages.control;
import static io.millrace.analytics.app.GtpMessages.element;
import static io.millrace.analytics.app.GtpMessages.end;
import static io.millrace.analytics.app.GtpMessages.user;
import static io.millrace.analytics.app.GtpMessages.v1;
import static io.millrace.analytics.app.GtpMessages.v2;
import static io.millrace.analytics.flowtable.TestPackets.tcp;
import static io.millrace.analytics.flowtable.TestPackets.text;
import static io.millrace.analytics.flowtable.TestPackets.udp;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.app.subscriber.ControlMessages;
import io.millrace.analytics.app.subscriber.Subscriber;
import io.millrace.analytics.app.subscriber.SubscriberConfig;
import io.millrace.analytics.app.subscriber.SubscriberNames;
import io.millrace.analytics.app.subscriber.SubscriberTable;
import io.millrace.analytics.app.subscriber.TunnelOwners;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.analytics.flowtable.Packet;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.analytics.testing.TwoInputTester;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.packet.PacketRejects;
import io.millrace.wire.pcap.IpPackets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Subscribers of flows in tunnels. */
class SubscribersTest {
  private static final int RAW_IP = 101;
  private static final long SECOND = 1_000_000;
  private static final int PHONE = 0x64400001;
  private static final int SERVER = 0x08080808;
  private static final byte[] QUESTION = text("nothing that is known");

  private final List<String> flows = new ArrayList<>();
  private final PacketRejects rejects = new PacketRejects();
  private final AppTracker tracker = tracker(SubscriberConfig.defaults());
  private long now = 1_700_000_000 * SECOND;

  private AppTracker tracker(SubscriberConfig subscribers) {
    return new AppTracker(
        FlowTableConfig.defaults(),
        IpLayer.INNER,
        new BuiltInClassifier(AppNames.builtIn()),
        Optional.of(subscribers),
        flow -> {},
        flow -> {
          Subscriber subscriber = flow.subscriber();
          if (flow.clientPort() >= 40_000) { // not those of GTP itself
            flows.add(
                flow.clientPort()
                    + " "
                    + subscriber.identity()
                    + " "
                    + subscriber.area()
                    + "/"
                    + subscriber.cell());
          }
        });
  }

  private void feed(AppTracker to, byte[]... packets) {
    for (byte[] packet : packets) {
      to.packet(now++, LinkType.RAW_IP, packet, 0, packet.length);
    }
  }

  private static byte[] up(int tunnel, int port) {
    return user(SGSN, GGSN, tunnel, udp(PHONE, port, SERVER, 999, QUESTION));
  }

  private static byte[] down(int tunnel, int port) {
    return user(GGSN, SGSN, tunnel, udp(SERVER, 999, PHONE, port, QUESTION));
  }

  private List<String> flows(AppTracker of) {
    of.endAll();
    return flows;
  }

  @Test
  void flowsOfBothTunnelsOfAContextBelongToTheSubscriber() {
    feed(tracker, up(7, 40_000), asking(1, 11, 5), agreeing(1, 11, 12, 7));
    feed(tracker, up(7, 40_001), down(5, 40_002), up(5, 40_003), up(8, 40_004));
    assertThat(flows(tracker))
        .containsExactlyInAnyOrder(
            "40000 null -1/-1", // before the owner was known
            "40001 491722334455 9029/26505",
            "40002 491722334455 9029/26505",
            "40003 null -1/-1", // the id belongs to another node
            "40004 null -1/-1");
  }

  @Test
  void anInvalidNumberHasNoSubscriber() {
    String bearer = element(93, 0, end(0, 7, GGSN));
    feed(tracker, control(SGSN, GGSN, v2(32, 0, 1, element(76, 0, "11".repeat(12)) + bearer)));
    feed(tracker, control(GGSN, SGSN, v2(33, 21, 1, element(2, 0, "1000"))));
    feed(tracker, up(7, 40_000));
    assertThat(flows(tracker)).containsExactly("40000 null -1/-1");
  }

  @Test
  void rejectedOrDeletedSessionsHaveNoSubscriber() {
    feed(tracker, asking(1, 11, 5));
    feed(tracker, control(GGSN, SGSN, v1(17, 11, 1, "01c7"))); // rejected for lack of resources
    feed(tracker, down(5, 40_000));
    feed(tracker, asking(2, 11, 5), agreeing(2, 11, 12, 7), down(5, 40_001));
    feed(tracker, control(SGSN, GGSN, v1(20, 12, 3, "13ff1405")), down(5, 40_002));
    feed(tracker, control(GGSN, SGSN, v1(21, 11, 3, "0180")), down(5, 40_003));
    assertThat(flows(tracker))
        .containsExactlyInAnyOrder(
            "40000 null -1/-1",
            "40001 491722334455 9029/26505",
            "40002 491722334455 9029/26505",
            "40003 null -1/-1");
  }

  @Test
  void anUpdateMovesTheTunnelAndTheCell() {
    feed(tracker, asking(1, 11, 5), agreeing(1, 11, 12, 7));
    String elsewhere = "98000801" + "62f22023451111";
    String tunnel = "1000000006" + "1100000013" + "850004%08x850004%08x".formatted(SGSN, SGSN);
    feed(tracker, control(SGSN, GGSN, v1(18, 12, 2, tunnel + elsewhere)));
    feed(tracker, control(GGSN, SGSN, v1(19, 11, 2, "0180")));
    feed(tracker, down(6, 40_000), up(7, 40_001));
    assertThat(flows(tracker))
        .containsExactlyInAnyOrder("40000 491722334455 9029/4369", "40001 491722334455 9029/4369");
  }

  @Test
  void aSessionsTunnelIsReportedAfterItsSubscriber() {
    int mme = 0x0A090009;
    String who = element(76, 0, "947122334455");
    String where = element(86, 0, "18" + "62f2204567" + "62f22000abcdef");
    feed(tracker, control(mme, GGSN, v2(32, 0, 1, who + where + end(0, 21, mme))));
    String bearer = element(93, 0, element(73, 0, "05") + end(0, 7, GGSN));
    feed(
        tracker,
        control(GGSN, mme, v2(33, 21, 1, element(2, 0, "1000") + end(0, 22, GGSN) + bearer)));
    String moved = element(93, 0, element(73, 0, "05") + end(0, 5, SGSN));
    feed(tracker, control(mme, GGSN, v2(34, 22, 2, moved)));
    feed(tracker, control(GGSN, mme, v2(35, 21, 2, element(2, 0, "1000"))));
    String further = element(93, 0, element(73, 0, "06") + end(0, 9, GGSN));
    feed(tracker, control(GGSN, mme, v2(95, 21, 3, element(73, 0, "05") + further)));
    feed(tracker, control(mme, GGSN, v2(96, 22, 3, element(2, 0, "1000"))));
    feed(tracker, up(7, 40_000), down(5, 40_001), up(9, 40_002));
    // A bearer is deleted, then the whole session.
    feed(tracker, control(GGSN, mme, v2(99, 21, 4, element(73, 1, "06"))));
    feed(tracker, control(mme, GGSN, v2(100, 22, 4, element(2, 0, "1000"))));
    feed(tracker, up(7, 40_003));
    feed(tracker, control(mme, GGSN, v2(36, 22, 5, element(73, 0, "05"))));
    feed(tracker, control(GGSN, mme, v2(37, 21, 5, element(2, 0, "1000"))));
    feed(tracker, up(7, 40_004));
    assertThat(flows(tracker))
        .containsExactlyInAnyOrder(
            "40000 491722334455 17767/11259375",
            "40001 491722334455 17767/11259375",
            "40002 491722334455 17767/11259375",
            "40003 491722334455 17767/11259375",
            "40004 null -1/-1");
  }

  @Test
  void aHashStandsForTheSubscriberWhereAKeyIsSet() {
    AppTracker hashing =
        tracker(new SubscriberConfig(new SubscriberNames("secret"), 10, 100 * SECOND));
    feed(hashing, asking(1, 11, 5), agreeing(1, 11, 12, 7), down(5, 40_000));
    // printf 491722334455 | openssl dgst -sha256 -hmac secret
    assertThat(flows(hashing)).containsExactly("40000 45cbdad93c4cac71 9029/26505");
    assertThat(SubscriberNames.number("ffffffffffffffff")).isBetween(1L, 999_999_999_999_999L);
  }

  /** Processes messages like the subtasks of both nodes. */
  private void learn(SubscriberTable table, byte[]... messages) {
    IpPackets ip = new IpPackets(IpLayer.OUTER);
    Packet packet = new Packet();
    for (byte[] message : messages) {
      ip.read(now, LinkType.RAW_IP, message, 0, message.length);
      assertThat(packet.wrap(ip, now++)).isTrue();
      table.learn(true, packet);
      table.learn(false, packet);
    }
  }

  private SubscriberTable table(TunnelOwners owners) {
    return new SubscriberTable(SubscriberNames.plain(), 3, 100 * SECOND, owners, rejects);
  }

  private static Subscriber find(TunnelOwners owners, int tunnel, int address) {
    return owners.find(tunnel, 0, Addresses.v4Low(address), Long.MAX_VALUE, Long.MAX_VALUE);
  }

  @Test
  void sessionsAreBoundedAndEndWhenIdle() {
    TunnelOwners owners = new TunnelOwners(100);
    SubscriberTable table = table(owners);
    for (int i = 1; i <= 5; i++) {
      learn(table, asking(i, 100 + i, 200 + i), agreeing(i, 100 + i, 300 + i, 400 + i));
    }
    assertThat(table.size()).isEqualTo(3);
    assertThat(table.evicted()).isEqualTo(2);
    assertThat(find(owners, 202, SGSN)).isNull();
    assertThat(find(owners, 203, SGSN)).isNotNull();
    for (int i = 0; i < 100_000; i++) {
      learn(table, asking(i, 7, 7)); // no response
    }
    assertThat(table.waiting()).isLessThan(20_000);
    now += 101 * SECOND;
    learn(table, asking(1, 7, 7));
    assertThat(table.size()).isZero();
    assertThat(table.waiting()).isEqualTo(2); // one per node
    assertThat(find(owners, 203, SGSN)).isNull();
  }

  /** Counted once, although both nodes process them. */
  @Test
  void truncatedMessagesAreCounted() {
    byte[] whole = asking(1, 11, 5);
    byte[] cut = Arrays.copyOf(whole, whole.length - 30);
    feed(tracker, whole, cut, up(7, 40_000));
    assertThat(tracker.rejects().lines()).containsExactly("1 × bad-control-message");
    AnalyzerTester.of(() -> new TunnelSessions(SubscriberConfig.defaults()))
        .keyedBy(ControlMessages.BY_NODE)
        .leavingState()
        .feed(messagesOf(block(whole, cut)))
        .expectCounted(PacketReject.BAD_CONTROL_MESSAGE.label(), 1)
        .expect();
  }

  @Test
  void aResponseMayComeBeforeItsRequest() {
    TunnelOwners owners = new TunnelOwners(100);
    SubscriberTable table = table(owners);
    long start = now;
    now = start + 1_000;
    learn(table, agreeing(1, 11, 12, 7));
    now = start;
    learn(table, asking(1, 11, 5));
    assertThat(find(owners, 5, SGSN)).isEqualTo(new Subscriber("491722334455", 9029, 26505));
    // A duplicate response does not match a later request with the same number.
    now = start + 2_000;
    learn(table, agreeing(1, 11, 12, 7));
    now = start + 3_000;
    learn(table, asking(1, 11, 6));
    assertThat(find(owners, 6, SGSN)).isNull();
  }

  @Test
  void aFlowBelongsToTheOwnerOfTheTunnelAtItsStart() {
    Subscriber one = new Subscriber("1", 1, 1);
    Subscriber other = new Subscriber("2", 2, 2);
    TunnelOwners owners = new TunnelOwners(100);
    owners.setOwner(7, 0, SGSN, 500, other);
    owners.setOwner(7, 0, SGSN, 100, one); // later than the following owner
    owners.setOwner(7, 0, SGSN, 300, null);
    owners.setOwner(7, 0, SGSN, 300, null);
    assertThat(owners.find(7, 0, SGSN, 50, 99)).isNull();
    assertThat(owners.find(7, 0, SGSN, 50, 400)).isEqualTo(one); // reported while the flow lasted
    assertThat(owners.find(7, 0, SGSN, 200, 600)).isEqualTo(one);
    assertThat(owners.find(7, 0, SGSN, 400, 450)).isNull();
    assertThat(owners.find(7, 0, SGSN, 400, 600)).isEqualTo(other);
    assertThat(owners.find(8, 0, SGSN, 400, 600)).isNull();
    owners.setOwner(8, 0, SGSN, 600, null);
    owners.setOwner(9, 0, SGSN, 3_601 * SECOND, one); // expired endpoints are removed after an hour
    assertThat(owners.size()).isEqualTo(2);
    TunnelOwners few = new TunnelOwners(2);
    for (int i = 0; i < 5; i++) {
      few.setOwner(i, 0, SGSN, i, one);
    }
    assertThat(few.size()).isEqualTo(2);
    assertThat(few.evicted()).isEqualTo(3);
    assertThat(few.find(4, 0, SGSN, 5, 5)).isEqualTo(one);
  }

  private PacketBlock block(byte[]... packets) {
    PacketBlock.Writer writer = new PacketBlock.Writer();
    for (byte[] packet : packets) {
      writer.add(now++, RAW_IP, 0, packet.length, packet, 0, packet.length);
    }
    return writer.toBlock();
  }

  /** Collects the emitted blocks. */
  private static final class Blocks implements Emitter<Block> {
    final List<Block> main = new ArrayList<>();
    final Map<Output<?>, List<Block>> further = new HashMap<>();

    @Override
    public void emit(Block block) {
      main.add(block);
    }

    @Override
    public <B extends Block> void emit(Output<B> output, B block) {
      further.computeIfAbsent(output, key -> new ArrayList<>()).add(block);
    }

    @SuppressWarnings("unchecked") // only one type of block is emitted
    <B extends Block> Emitter<B> of() {
      return (Emitter<B>) (Emitter<?>) this;
    }
  }

  /** The control messages among packets, for both nodes. */
  private PacketBlock messagesOf(PacketBlock packets) {
    Blocks blocks = new Blocks();
    new ControlMessages().process(packets, blocks.of());
    assertThat(blocks.main).containsExactly(packets);
    return (PacketBlock) blocks.further.get(ControlMessages.CONTROL).get(0);
  }

  @Test
  void bothNodesGetEachMessage() {
    PacketBlock control = messagesOf(block(udp(PHONE, 1, SERVER, 9, QUESTION), asking(1, 11, 5)));
    assertThat(control.rows()).isEqualTo(2);
    int[] hashes = new int[2];
    ControlMessages.BY_NODE.hashes(control, hashes);
    assertThat(hashes)
        .containsExactlyInAnyOrder(
            Hash.of(0, Addresses.v4Low(SGSN)), Hash.of(0, Addresses.v4Low(GGSN)));
  }

  /** Two sessions; the tunnel of one later belongs to the other. */
  private PacketBlock[] messages() {
    return new PacketBlock[] {
      messagesOf(block(asking(1, 11, 5))),
      messagesOf(block(agreeing(1, 11, 12, 7), asking(2, 13, 15))),
      messagesOf(block(agreeing(2, 13, 14, 17))),
      messagesOf(block(GtpMessages.control(SGSN, GGSN, v1(20, 12, 3, "13ff1405")))),
      messagesOf(block(GtpMessages.control(GGSN, SGSN, v1(21, 11, 3, "0180"))))
    };
  }

  @Test
  void ownersDoNotDependOnRestores() {
    now = 1_000;
    AnalyzerTester<PacketBlock, TableBlock> tester =
        AnalyzerTester.of(() -> new TunnelSessions(SubscriberConfig.defaults()))
            .keyedBy(ControlMessages.BY_NODE)
            .leavingState();
    for (PacketBlock block : messages()) {
      tester.feed(block);
    }
    String who = " 1 491722334455 9029 26505";
    tester.expect(
        "1001 5 10.9.0.1" + who,
        "1001 7 10.9.0.2" + who,
        "1003 15 10.9.0.1" + who,
        "1003 17 10.9.0.2" + who,
        "1005 5 10.9.0.1 0  -1 -1",
        "1005 7 10.9.0.2 0  -1 -1");
  }

  /** The same join in {@link TunnelFlows}, for any interleaving of its inputs. */
  @Test
  void flowsHaveTheirSubscribersInAnyOrderOfPacketsAndMessages() {
    now = 1_000;
    Blocks owners = new Blocks();
    TunnelSessions sessions = new TunnelSessions(SubscriberConfig.defaults());
    sessions.open(AnalyzerContext.alone());
    for (PacketBlock messages : messages()) {
      sessions.process(messages, owners.of());
    }
    Blocks flows = new Blocks();
    AppAnalyzer analyzer = analyzer();
    analyzer.open(AnalyzerContext.alone());
    now = 1_000;
    analyzer.process(block(up(17, 40_000), up(7, 40_001)), flows.of()); // the first flow continues
    now = 1_002;
    analyzer.process(block(down(5, 40_002), up(7, 40_001)), flows.of());
    now = 1_004;
    analyzer.process(block(up(17, 40_000), up(17, 40_003)), flows.of());
    now = 1_006;
    analyzer.process(block(up(7, 40_004)), flows.of());
    analyzer.watermark(Long.MAX_VALUE, flows.of());
    assertThat(flows.main).isEmpty();
    TwoInputTester<TableBlock, TableBlock, TableBlock> tester =
        TwoInputTester.of(
                () -> new TunnelFlows(SubscriberConfig.defaults(), false), SubscribersTest::users)
            .keyedBy(TunnelSessions.BY_TUNNEL, TunnelFlows.BY_TUNNEL)
            .inAnyOrder()
            .leavingState();
    flows
        .further
        .get(AppAnalyzer.IN_TUNNELS)
        .forEach(block -> tester.feedSecond((TableBlock) block));
    owners.main.forEach(block -> tester.feedFirst((TableBlock) block));
    tester
        .watermark(Long.MAX_VALUE - 1)
        .expectIn(TunnelFlows.USAGE, block -> List.of(), new String[0])
        .expect(
            "40000 491722334455",
            "40001 491722334455",
            "40002 491722334455",
            "40003 491722334455",
            "40004 ");
  }

  /** Owners that are reported after the rows of the tunnel were emitted are late, and counted. */
  @Test
  void countsLateOwners() {
    now = 1_000;
    Blocks owners = new Blocks();
    TunnelSessions sessions = new TunnelSessions(SubscriberConfig.defaults());
    sessions.open(AnalyzerContext.alone());
    for (PacketBlock messages : messages()) {
      sessions.process(
          messages, owners.of()); // endpoints are reported of 1001, 1003 and 1005, two each
    }
    TwoInputTester<TableBlock, TableBlock, TableBlock> tester =
        TwoInputTester.of(
                () -> new TunnelFlows(SubscriberConfig.defaults(), false), SubscribersTest::users)
            .keyedBy(TunnelSessions.BY_TUNNEL, TunnelFlows.BY_TUNNEL)
            .leavingState()
            .watermark(1_003);
    owners.main.forEach(block -> tester.feedFirst((TableBlock) block));
    tester.expectCounted(TunnelFlows.LATE, 4).expect();
  }

  private static List<String> users(TableBlock flows) {
    int port = AppRows.FLOWS.indexOf("src_port");
    int subscriber = AppRows.FLOWS.indexOf("subscriber");
    return IntStream.range(0, flows.rows())
        .filter(row -> flows.longs(port)[row] >= 40_000)
        .mapToObj(row -> flows.longs(port)[row] + " " + flows.text(row, subscriber))
        .toList();
  }

  private static AppAnalyzer analyzer() {
    return new AppAnalyzer(
        FlowTableConfig.defaults(),
        IpLayer.INNER,
        ClassifierKind.BUILT_IN,
        AppNames.builtIn(),
        true);
  }

  private static List<String> usage(List<Block> blocks) {
    List<String> usage = new ArrayList<>();
    for (Block block : blocks) {
      TableBlock table = (TableBlock) block;
      for (int row = 0; row < table.rows(); row++) {
        List<String> cells = new ArrayList<>();
        for (String column : List.of("span_end", "app", "msisdn", "cell", "bytes", "packets")) {
          cells.add(table.text(row, AppRows.USAGE.indexOf(column)));
        }
        usage.add(String.join(" ", cells));
      }
    }
    return usage;
  }

  @Test
  void emitsTheUsageOfAFlowEveryTenSeconds() {
    AppAnalyzer analyzer = analyzer();
    analyzer.open(AnalyzerContext.alone());
    TunnelSessions sessions = new TunnelSessions(SubscriberConfig.defaults());
    sessions.open(AnalyzerContext.alone());
    TunnelFlows tunnels = new TunnelFlows(SubscriberConfig.defaults(), true);
    tunnels.open(AnalyzerContext.alone());
    now = 0;
    PacketBlock messages = block(asking(1, 11, 5), agreeing(1, 11, 12, 7));
    Blocks flows = new Blocks();
    Blocks owners = new Blocks();
    analyzer.process(messages, flows.of());
    sessions.process(messagesOf(messages), owners.of());
    byte[] ssh = user(GGSN, SGSN, 5, tcp(SERVER, 22, PHONE, 40_000, 16, 1, text("SSH-2.0-x\r\n")));
    for (int second = 0; second < 25; second++) {
      now = second * SECOND;
      analyzer.process(block(ssh), flows.of());
    }
    analyzer.watermark(Long.MAX_VALUE, flows.of());
    Blocks joined = new Blocks();
    owners.main.forEach(block -> tunnels.processFirst((TableBlock) block, joined.of()));
    flows
        .further
        .get(AppAnalyzer.IN_TUNNELS)
        .forEach(block -> tunnels.processSecond((TableBlock) block, joined.of()));
    tunnels.watermark(25 * SECOND, joined.of());
    String row = " SSH 491722334455 26505 510 10";
    assertThat(usage(flows.further.get(AppAnalyzer.USAGE)))
        .containsExactly("10000000 GTP_C null null 162 2");
    assertThat(usage(joined.further.get(TunnelFlows.USAGE)))
        .containsExactly(
            "10000000" + row, "20000000" + row, "30000000 SSH 491722334455 26505 255 5");
  }
}
