package io.millrace.lab.nexmark;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class TopBidsTest {
  private static final int BATCHES = 20;

  private static AnalyzerTester<TableBlock, TableBlock> tester() {
    return AnalyzerTester.of(TopBids::new).keyedBy(TopBids.KEYS).leavingState();
  }

  private static String row(int change, int auction, int bidder, int price, int time, int rank) {
    String texts = " c" + time + " /u/" + time + " " + time + " " + "x".repeat(time % 20);
    return change + " " + auction + " " + bidder + " " + price + texts + " " + rank;
  }

  @Test
  void aBidMovesLowerRanksDown() {
    tester()
        .feed(Bids.of(1, 7, 100, 1, 1, 8, 300, 2))
        .feed(Bids.of(1, 9, 200, 3))
        .expect(
            row(TopBids.INSERT, 1, 7, 100, 1, 1),
            row(TopBids.UPDATE, 1, 8, 300, 2, 1),
            row(TopBids.INSERT, 1, 7, 100, 1, 2),
            row(TopBids.UPDATE, 1, 9, 200, 3, 2),
            row(TopBids.INSERT, 1, 7, 100, 1, 3));
  }

  @Test
  void theEarlierOfEqualPricesRanksHigher() {
    tester()
        .feed(Bids.of(1, 7, 100, 1, 1, 8, 100, 2))
        .expect(row(TopBids.INSERT, 1, 7, 100, 1, 1), row(TopBids.INSERT, 1, 8, 100, 2, 2));
  }

  @Test
  void theEleventhIsDroppedSilently() {
    AnalyzerTester<TableBlock, TableBlock> tester = tester();
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < TopBids.RANKS; i++) {
      tester.feed(Bids.of(5, i, 100L - i, i + 1L));
      rows.add(row(TopBids.INSERT, 5, i, 100 - i, i + 1, i + 1));
    }
    tester.feed(Bids.of(5, 50, 91, 50, 5, 51, 92, 51));
    rows.add(row(TopBids.UPDATE, 5, 51, 92, 51, 10));
    tester.expect(rows.toArray(String[]::new));
  }

  @Test
  void auctionsAreDisjoint() {
    tester()
        .feed(Bids.of(1, 7, 100, 1, 2, 8, 300, 2, 3, 9, 1, 3))
        .expect(
            row(TopBids.INSERT, 1, 7, 100, 1, 1),
            row(TopBids.INSERT, 2, 8, 300, 2, 1),
            row(TopBids.INSERT, 3, 9, 1, 3, 1));
  }

  @Test
  void equalsJavaMaps() {
    TopBidsCheck check = new TopBidsCheck();
    run(check);
    check.check(new NexmarkGenerator(3), BATCHES);
  }

  @Test
  void theCheckReportsAPriceWithoutABid() {
    TopBidsCheck check = new TopBidsCheck();
    run(
        changes -> {
          changes.longs(3)[changes.rows() / 2]++;
          check.accept(changes);
        });
    assertThatThrownBy(() -> check.check(new NexmarkGenerator(3), BATCHES))
        .isInstanceOf(WrongResultException.class)
        .hasMessageContaining("q19: auction");
  }

  private static void run(Consumer<TableBlock> changes) {
    NexmarkGenerator generator = new NexmarkGenerator(3);
    TopBids analyzer = new TopBids();
    analyzer.open(AnalyzerContext.alone());
    for (int batch = 0; batch < BATCHES; batch++) {
      TableBlock bids = generator.bids((long) batch * EventBlocks.EPOCHS, EventBlocks.EPOCHS);
      analyzer.process(bids, changes::accept);
    }
  }
}
