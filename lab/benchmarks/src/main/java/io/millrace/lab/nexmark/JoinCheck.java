package io.millrace.lab.nexmark;

import io.millrace.analytics.keyed.Hash;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.wire.block.TableBlock;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Checks query 13 against a join with a Java map, by a sum of the hashes of all rows. */
final class JoinCheck implements Consumer<TableBlock> {
  private final LongAdder rows = new LongAdder();
  private final LongAdder sum = new LongAdder();

  @Override
  public void accept(TableBlock joined) {
    rows.add(joined.rows());
    for (int row = 0; row < joined.rows(); row++) {
      sum.add(
          hash(
              joined.longs(0)[row],
              joined.longs(1)[row],
              joined.longs(2)[row],
              joined.longs(3)[row],
              joined.texts(4).get(row)));
    }
  }

  private static long hash(long auction, long bidder, long price, long time, String value) {
    return (long) Hash.of(Hash.of(auction, bidder), Hash.of(price, time)) * (value.hashCode() | 1);
  }

  /** Compares the received rows with those expected for the first {@code batches} batches. */
  void check(NexmarkGenerator generator, long batches) {
    Map<Long, String> side = new HashMap<>();
    TableBlock input = BoundedSideJoin.sideInput();
    for (int row = 0; row < input.rows(); row++) {
      side.put(input.longs(0)[row], input.texts(1).get(row));
    }
    long expectedRows = 0;
    long expectedSum = 0;
    for (long batch = 0; batch < batches; batch++) {
      TableBlock bids = generator.bids(batch * EventBlocks.EPOCHS, EventBlocks.EPOCHS);
      for (int row = 0; row < bids.rows(); row++) {
        long auction = bids.longs(Nexmark.BID_AUCTION)[row];
        String value = side.get(auction % BoundedSideJoin.SIDE_ROWS);
        if (value != null) {
          expectedRows++;
          expectedSum +=
              hash(
                  auction,
                  bids.longs(Nexmark.BID_BIDDER)[row],
                  bids.longs(Nexmark.BID_PRICE)[row],
                  bids.longs(Nexmark.BID_TIME)[row],
                  value);
        }
      }
    }
    WrongResultException.check("q13 rows", expectedRows, rows.sum());
    WrongResultException.check("q13 sum of all rows' hashes", expectedSum, sum.sum());
  }
}
