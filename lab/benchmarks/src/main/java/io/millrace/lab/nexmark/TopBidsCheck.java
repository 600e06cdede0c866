package io.millrace.lab.nexmark;

import io.millrace.lab.harness.WrongResultException;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Checks query 19. It applies the changes to a table as an upsert sink does. At the end the table
 * must have the ten highest prices of each auction, as sorted by Java, each with a generated bid.
 * Bids of equal price that took different paths may be in any order.
 */
final class TopBidsCheck implements Consumer<TableBlock> {
  /** Auction → bids by rank. */
  private final Map<Long, List<Bid>> ranks = new HashMap<>();

  private record Bid(
      long auction, long bidder, long price, long time, String channel, String url, String extra) {
    static Bid of(TableBlock bids, int row) {
      return new Bid(
          bids.longs(Nexmark.BID_AUCTION)[row],
          bids.longs(Nexmark.BID_BIDDER)[row],
          bids.longs(Nexmark.BID_PRICE)[row],
          bids.longs(Nexmark.BID_TIME)[row],
          bids.texts(Nexmark.BID_CHANNEL).get(row),
          bids.texts(Nexmark.BID_URL).get(row),
          bids.texts(Nexmark.BID_EXTRA).get(row));
    }

    static Bid ofChange(TableBlock changes, int row) {
      return new Bid(
          changes.longs(1)[row],
          changes.longs(2)[row],
          changes.longs(3)[row],
          changes.longs(6)[row],
          changes.texts(4).get(row),
          changes.texts(5).get(row),
          changes.texts(7).get(row));
    }
  }

  @Override
  public synchronized void accept(TableBlock changes) {
    for (int row = 0; row < changes.rows(); row++) {
      Bid bid = Bid.ofChange(changes, row);
      int rank = (int) changes.longs(8)[row] - 1;
      List<Bid> bids = ranks.computeIfAbsent(bid.auction(), auction -> new ArrayList<>());
      boolean isNew = changes.longs(0)[row] == TopBids.INSERT;
      if (isNew ? rank != bids.size() : rank >= bids.size()) {
        throw new WrongResultException(
            "q19: rank " + (rank + 1) + " of auction " + bid.auction() + " out of order");
      }
      if (isNew) {
        bids.add(bid);
      } else {
        bids.set(rank, bid);
      }
    }
  }

  /** Compares the table with the bids of the first {@code batches} batches. */
  synchronized void check(NexmarkGenerator generator, long batches) {
    Map<Long, List<Bid>> made = new HashMap<>();
    for (long batch = 0; batch < batches; batch++) {
      TableBlock bids = generator.bids(batch * EventBlocks.EPOCHS, EventBlocks.EPOCHS);
      for (int row = 0; row < bids.rows(); row++) {
        Bid bid = Bid.of(bids, row);
        made.computeIfAbsent(bid.auction(), auction -> new ArrayList<>()).add(bid);
      }
    }
    WrongResultException.check("q19 auctions", made.size(), ranks.size());
    for (List<Bid> bids : made.values()) {
      check(bids, ranks.get(bids.get(0).auction()));
    }
  }

  private static void check(List<Bid> made, List<Bid> found) {
    List<Long> prices =
        made.stream()
            .map(Bid::price)
            .sorted(Comparator.reverseOrder())
            .limit(TopBids.RANKS)
            .toList();
    List<Bid> rest = new ArrayList<>(made);
    boolean areMade = found.stream().allMatch(rest::remove); // each bid at most once
    if (!areMade || !found.stream().map(Bid::price).toList().equals(prices)) {
      throw new WrongResultException(
          "q19: auction "
              + made.get(0).auction()
              + " of "
              + made.size()
              + " bids with the highest prices "
              + prices
              + ", found "
              + found);
    }
  }

  /** Number of occupied ranks at the end, which is the number of inserts. */
  static long ranks(NexmarkGenerator generator, long batches) {
    int epochs = EventBlocks.EPOCHS;
    long auctions = NexmarkGenerator.auctionsBefore(batches * epochs);
    byte[] counts = new byte[Math.toIntExact(auctions)];
    long ranks = 0;
    for (long batch = 0; batch < batches; batch++) {
      TableBlock bids = generator.bids(batch * epochs, epochs);
      long[] auction = bids.longs(Nexmark.BID_AUCTION);
      for (int row = 0; row < bids.rows(); row++) {
        int index = (int) auction[row];
        if (counts[index] < TopBids.RANKS) {
          counts[index]++;
          ranks++;
        }
      }
    }
    return ranks;
  }
}
