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
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.Output;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whose the flows in tunnels are. */
class SubscribersTest {
  private static final int RAW_IP = 101;
  private static final long SECOND = 1_000_000;
  private static final int PHONE = 0x64400001;
  private static final int SERVER = 0x08080808;
  private static final byte[] QUESTION = text("nothing that is known");

  private final List<String> flows = new ArrayList<>();
  private final AppTracker tracker = tracker(SubscriberConfig.defaults().table());
  private long now = 1_700_000_000 * SECOND;

  private AppTracker tracker(SubscriberTable table) {
    return new AppTracker(
        FlowTableConfig.defaults(),
        IpLayer.INNER,
        new BuiltInClassifier(AppNames.builtIn()),
        table,
        true,
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
  void flowsOfBothTunnelsOfAContextAreTheSubscribers() {
    feed(tracker, up(7, 40_000), asking(1, 11, 5), agreeing(1, 11, 12, 7));
    feed(tracker, up(7, 40_001), down(5, 40_002), up(5, 40_003), up(8, 40_004));
    assertThat(flows(tracker))
        .containsExactlyInAnyOrder(
            "40000 null -1/-1", // before it was told
            "40001 491722334455 9029/26505",
            "40002 491722334455 9029/26505",
            "40003 null -1/-1", // the number is another node's
            "40004 null -1/-1");
  }

  @Test
  void aNumberThatIsNoneIsNobodys() {
    String bearer = element(93, 0, end(0, 7, GGSN));
    feed(tracker, control(SGSN, GGSN, v2(32, 0, 1, element(76, 0, "11".repeat(12)) + bearer)));
    feed(tracker, control(GGSN, SGSN, v2(33, 21, 1, element(2, 0, "1000"))));
    feed(tracker, up(7, 40_000));
    assertThat(flows(tracker)).containsExactly("40000 null -1/-1");
  }

  @Test
  void whatIsRefusedOrTakenDownIsNobodys() {
    feed(tracker, asking(1, 11, 5));
    feed(tracker, control(GGSN, SGSN, v1(17, 11, 1, "01c7"))); // no resources
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
  void aSessionsTunnelIsToldBehindItsSubscriber() {
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
    // A bearer goes, and then all of it.
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
        tracker(new SubscriberTable(new SubscriberNames("secret"), 10, 100 * SECOND));
    feed(hashing, asking(1, 11, 5), agreeing(1, 11, 12, 7), down(5, 40_000));
    // printf 491722334455 | openssl dgst -sha256 -hmac secret
    assertThat(flows(hashing)).containsExactly("40000 45cbdad93c4cac71 9029/26505");
    assertThat(SubscriberNames.number("ffffffffffffffff")).isBetween(1L, 999_999_999_999_999L);
  }

  @Test
  void sessionsAreBoundedAndEndWhenNothingIsHeardOfThem() {
    SubscriberTable table = new SubscriberTable(SubscriberNames.plain(), 3, 100 * SECOND);
    AppTracker small = tracker(table);
    for (int i = 1; i <= 5; i++) {
      feed(small, asking(i, 100 + i, 200 + i), agreeing(i, 100 + i, 300 + i, 400 + i));
    }
    assertThat(table.size()).isEqualTo(3);
    assertThat(table.evicted()).isEqualTo(2);
    assertThat(table.find(202, 0, 0)).isNull();
    for (int i = 0; i < 100_000; i++) {
      feed(small, asking(i, 7, 7)); // nobody answers
    }
    assertThat(table.waiting()).isLessThan(20_000);
    now += 101 * SECOND;
    feed(small, asking(1, 7, 7));
    assertThat(table.size()).isZero();
    assertThat(table.waiting()).isOne();
  }

  /** What a step in front of the exchange makes of packets. */
  private PacketBlock copied(byte[]... packets) {
    PacketBlock.Writer writer = new PacketBlock.Writer();
    for (byte[] packet : packets) {
      writer.add(now++, RAW_IP, 0, packet.length, packet, 0, packet.length);
    }
    PacketBlock.Writer all = new PacketBlock.Writer();
    new ControlCopies(3)
        .process(
            writer.toBlock(),
            new Emitter<>() {
              @Override
              public void emit(PacketBlock block) {
                for (int row = 0; row < block.rows(); row++) {
                  int length = block.end(row) - block.start(row);
                  all.add(
                      block.time(row),
                      block.linkNumber(row),
                      0,
                      length,
                      block.bytes(),
                      block.start(row),
                      length);
                }
              }
            });
    return all.toBlock();
  }

  private static List<String> users(TableBlock flows) {
    int port = AppRows.FLOWS.indexOf("src_port");
    int subscriber = AppRows.FLOWS.indexOf("subscriber");
    return IntStream.range(0, flows.rows())
        .filter(row -> flows.longs(port)[row] >= 40_000)
        .mapToObj(row -> flows.longs(port)[row] + " " + flows.text(row, subscriber))
        .toList();
  }

  @Test
  void eachSubtaskGetsACopyOfEachMessage() {
    PacketBlock packets = copied(udp(PHONE, 40_000, SERVER, 999, QUESTION), asking(1, 11, 5));
    assertThat(packets.rows()).isEqualTo(5);
    assertThat(ControlCopies.isCopy(packets.linkNumber(0))).isFalse();
    assertThat(ControlCopies.isCopy(packets.linkNumber(4))).isFalse();
    int[] hashes = new int[5];
    new PacketEnds(IpLayer.INNER).hashes(packets, hashes);
    for (int subtasks = 1; subtasks <= 3; subtasks++) {
      int most = subtasks;
      assertThat(
              IntStream.range(1, 4)
                  .map(row -> KeyGroups.groupOf(hashes[row], KeyGroups.DEFAULT_MAX))
                  .map(group -> KeyGroups.subtaskOf(group, KeyGroups.DEFAULT_MAX, most))
                  .distinct()
                  .count())
          .isEqualTo(subtasks);
    }
  }

  @Test
  void flowsOfAllSubtasksAreTheSubscribers() {
    byte[][] talk = new byte[20][];
    Arrays.setAll(
        talk, i -> user(SGSN, GGSN, 7, udp(PHONE, 40_000 + i, SERVER + i, 999, QUESTION)));
    AppAnalyzer[] subtasks = {analyzer(), analyzer(), analyzer()};
    Rows rows = new Rows();
    for (int i = 0; i < subtasks.length; i++) {
      subtasks[i].open(AnalyzerContext.alone());
    }
    for (PacketBlock block :
        List.of(copied(asking(1, 11, 5)), copied(agreeing(1, 11, 12, 7)), copied(talk))) {
      dealOut(block, subtasks, rows);
    }
    for (AppAnalyzer subtask : subtasks) {
      subtask.watermark(Long.MAX_VALUE, rows);
    }
    assertThat(rows.users)
        .containsExactlyInAnyOrder(
            IntStream.range(40_000, 40_020)
                .mapToObj(port -> port + " 491722334455")
                .toArray(String[]::new));
  }

  private static void dealOut(PacketBlock block, AppAnalyzer[] subtasks, Rows rows) {
    int[] hashes = new int[block.rows()];
    new PacketEnds(IpLayer.INNER).hashes(block, hashes);
    for (int subtask = 0; subtask < subtasks.length; subtask++) {
      KeyGroups groups = KeyGroups.of(KeyGroups.DEFAULT_MAX, subtask, subtasks.length);
      int[] own =
          IntStream.range(0, block.rows()).filter(row -> groups.holds(hashes[row])).toArray();
      subtasks[subtask].process(block.select(own, own.length), rows);
    }
  }

  @Test
  void knowsThemBehindAFailure() {
    SubscriberTable before = SubscriberConfig.defaults().table();
    AppTracker learning = tracker(before);
    feed(learning, asking(1, 11, 5), agreeing(1, 11, 12, 7), asking(2, 13, 14));
    SubscriberTable after = SubscriberConfig.defaults().table();
    for (int subtask = 0; subtask < 2; subtask++) {
      before
          .write(KeyGroups.of(KeyGroups.DEFAULT_MAX, subtask, 2))
          .values()
          .forEach(part -> after.restore(new BlockInput(part, 0, part.length)));
    }
    AppTracker restored = tracker(after);
    feed(restored, agreeing(2, 13, 15, 16), up(7, 40_000), up(16, 40_001));
    assertThat(flows(restored))
        .containsExactlyInAnyOrder(
            "40000 491722334455 9029/26505", "40001 491722334455 9029/26505");
  }

  @Test
  void whatIsHeardOfForLongestGoesFirstBehindAFailureToo() {
    SubscriberTable before = new SubscriberTable(SubscriberNames.plain(), 8, 100 * SECOND);
    AppTracker learning = tracker(before);
    for (int i = 1; i <= 8; i++) {
      feed(learning, asking(i, 100 + i, 200 + i), agreeing(i, 100 + i, 300 + i, 400 + i));
    }
    SubscriberTable after = new SubscriberTable(SubscriberNames.plain(), 8, 100 * SECOND);
    before
        .write(KeyGroups.of(KeyGroups.DEFAULT_MAX, 0, 1))
        .values()
        .forEach(part -> after.restore(new BlockInput(part, 0, part.length)));
    AppTracker restored = tracker(after);
    feed(restored, asking(9, 109, 209), agreeing(9, 109, 309, 409));
    assertThat(after.size()).isEqualTo(8);
    feed(restored, down(201, 40_001), down(202, 40_002), down(209, 40_009));
    assertThat(flows(restored))
        .containsExactlyInAnyOrder(
            "40001 null -1/-1", "40002 491722334455 9029/26505", "40009 491722334455 9029/26505");
  }

  private static AppAnalyzer analyzer() {
    return new AppAnalyzer(
        FlowTableConfig.defaults(),
        IpLayer.INNER,
        ClassifierKind.BUILT_IN,
        AppNames.builtIn(),
        SubscriberConfig.defaults(),
        true);
  }

  /** What comes out, as texts. */
  private static final class Rows implements Emitter<TableBlock> {
    final List<String> users = new ArrayList<>();
    final List<String> uses = new ArrayList<>();

    @Override
    public void emit(TableBlock flows) {
      users.addAll(users(flows));
    }

    @Override
    public <B extends Block> void emit(Output<B> output, B block) {
      if (output.equals(AppAnalyzer.USES)) {
        TableBlock table = (TableBlock) block;
        for (int row = 0; row < table.rows(); row++) {
          List<String> cells = new ArrayList<>();
          for (String column : List.of("span_end", "app", "msisdn", "cell", "bytes", "packets")) {
            cells.add(table.text(row, AppRows.USES.indexOf(column)));
          }
          uses.add(String.join(" ", cells));
        }
      }
    }
  }

  @Test
  void tellsEveryTenSecondsWhatAFlowHad() {
    AppAnalyzer analyzer = analyzer();
    analyzer.open(AnalyzerContext.alone());
    Rows rows = new Rows();
    now = 0;
    analyzer.process(copied(asking(1, 11, 5), agreeing(1, 11, 12, 7)), rows);
    byte[] ssh = user(GGSN, SGSN, 5, tcp(SERVER, 22, PHONE, 40_000, 16, 1, text("SSH-2.0-x\r\n")));
    for (int second = 0; second < 25; second++) {
      now = second * SECOND;
      analyzer.process(copied(ssh), rows);
    }
    String row = " SSH 491722334455 26505 510 10";
    assertThat(rows.uses)
        .containsExactly("10000000 GTP_C null null 162 2", "10000000" + row, "20000000" + row);
    analyzer.watermark(Long.MAX_VALUE, rows);
    assertThat(rows.uses).hasSize(4).contains("30000000 SSH 491722334455 26505 255 5");
  }
}
