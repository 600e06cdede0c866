package io.millrace.lab.nexmark;

import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.TableBlock;
import org.junit.jupiter.api.Test;

class BoundedSideJoinTest {
  @Test
  void joinedBidsHaveTheTextOfTheirPartner() {
    TableBlock side = new TableBlock(BoundedSideJoin.SIDE, 2);
    side.longs(0)[0] = 7;
    side.texts(1).add("seven");
    side.longs(0)[1] = 9_999;
    side.texts(1).add("the last");
    side.rows(2);
    AnalyzerTester.of(() -> new BoundedSideJoin(side))
        .feed(Bids.of(7, 1, 100, 1, 8, 1, 100, 2, 10_007, 2, 50, 3))
        .feed(Bids.of(29_999, 3, 10, 4))
        .expect("7 1 100 1 seven", "10007 2 50 3 seven", "29999 3 10 4 the last");
  }

  @Test
  void equalsAJavaMap() {
    NexmarkGenerator generator = new NexmarkGenerator(3);
    BoundedSideJoin join = new BoundedSideJoin(BoundedSideJoin.sideInput());
    JoinCheck check = new JoinCheck();
    for (int batch = 0; batch < 5; batch++) {
      TableBlock bids = generator.bids((long) batch * EventBlocks.EPOCHS, EventBlocks.EPOCHS);
      join.process(bids, check::accept);
    }
    check.check(generator, 5);
  }
}
