package io.millrace.lab.nexmark;

import io.millrace.wire.block.TableBlock;

/** Bids for tests: four numbers each, and texts derived from the time. */
final class Bids {
  private Bids() {}

  static TableBlock of(long... auctionBidderPriceTime) {
    int rows = auctionBidderPriceTime.length / 4;
    TableBlock bids = new TableBlock(Nexmark.BID, rows);
    for (int row = 0; row < rows; row++) {
      bids.longs(Nexmark.BID_AUCTION)[row] = auctionBidderPriceTime[4 * row];
      bids.longs(Nexmark.BID_BIDDER)[row] = auctionBidderPriceTime[4 * row + 1];
      bids.longs(Nexmark.BID_PRICE)[row] = auctionBidderPriceTime[4 * row + 2];
      long time = auctionBidderPriceTime[4 * row + 3];
      bids.longs(Nexmark.BID_TIME)[row] = time;
      bids.texts(Nexmark.BID_CHANNEL).add("c" + time);
      bids.texts(Nexmark.BID_URL).add("/u/" + time);
      bids.texts(Nexmark.BID_EXTRA).add("x".repeat((int) (time % 20)));
    }
    bids.rows(rows);
    return bids;
  }
}
