package io.millrace.lab.nexmark;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.block.Texts;

/**
 * Query 19: the ten highest bids of each auction, as a continuously updated result.
 *
 * <pre>
 *   SELECT * FROM
 *     (SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS rank_number FROM bid)
 *   WHERE rank_number &lt;= 10
 * </pre>
 *
 * A bid that enters at rank r changes the ranks from r on. For each of these it emits a row with
 * the bid that now has the rank: {@link #UPDATE}, or {@link #INSERT} for a new rank. Bids of equal
 * price rank in order of arrival. Flink SQL emits the same changes for the query into an upsert
 * sink such as the public benchmark's: one for each changed rank and bid, not merged per block.
 *
 * <p>The ten bids of an auction have fixed slots. One {@code long} maps ranks to slots, four bits
 * per rank, so that a new bid moves bits and no columns.
 */
final class TopBids implements KeyedAnalyzer<TableBlock, TableBlock> {
  static final int INSERT = 1;
  static final int UPDATE = 2;
  static final int RANKS = 10;

  static final TableSchema OUT =
      TableSchema.builder()
          .number("change")
          .number("auction")
          .number("bidder")
          .number("price")
          .text("channel")
          .text("url")
          .time("date_time")
          .text("extra")
          .number("rank_number")
          .build();

  static final RowKeys<TableBlock> KEYS =
      (bids, hashes) -> {
        long[] auctions = bids.longs(Nexmark.BID_AUCTION);
        int rows = bids.rows();
        for (int row = 0; row < rows; row++) {
          hashes[row] = Hash.of(auctions[row]);
        }
      };

  private static final int COUNT = 0;
  private static final int ORDER = 1;
  private static final int PRICE = 2;
  private static final int BIDDER = PRICE + RANKS;
  private static final int TIME = BIDDER + RANKS;
  private static final int COLUMNS = TIME + RANKS;

  private static final int RANK_BITS = 4;
  private static final int SLOT = (1 << RANK_BITS) - 1;
  private static final int BLOCK_ROWS = 4_096;

  private KeyTable auctions;
  private BidTexts texts;
  private TableBlock changes;

  @Override
  public void open(AnalyzerContext context) {
    KeyGroups groups = context.keyGroups();
    auctions = new KeyTable(groups, 1, COLUMNS);
    texts = new BidTexts(groups);
    changes = new TableBlock(OUT, BLOCK_ROWS);
  }

  @Override
  public void process(TableBlock bids, Emitter<TableBlock> out) {
    int rows = bids.rows();
    long[] auction = bids.longs(Nexmark.BID_AUCTION);
    long[] price = bids.longs(Nexmark.BID_PRICE);
    for (int row = 0; row < rows; row++) {
      int entry = auctions.entry(Hash.of(auction[row]), auction[row]);
      int count = (int) auctions.values(COUNT)[entry];
      int rank = rank(entry, count, price[row]);
      if (rank < RANKS) {
        place(entry, rank, bids, row);
        emitFrom(entry, rank, count);
        if (changes.rows() >= BLOCK_ROWS - RANKS) {
          emitChanges(out);
        }
      }
    }
    emitChanges(out);
  }

  /**
   * Rank of a new price, from 0, after all that are not lower. Most searches end at the first
   * comparison.
   */
  private int rank(int entry, int count, long price) {
    long order = auctions.values(ORDER)[entry];
    int rank = count;
    while (rank > 0 && auctions.values(PRICE + slot(order, rank - 1))[entry] < price) {
      rank--;
    }
    return rank;
  }

  private static int slot(long order, int rank) {
    return (int) (order >>> (RANK_BITS * rank)) & SLOT;
  }

  /** Puts a bid into a free slot, or into that of the evicted bid. */
  private void place(int entry, int rank, TableBlock bids, int row) {
    int count = (int) auctions.values(COUNT)[entry];
    long order = auctions.values(ORDER)[entry];
    int slot = count < RANKS ? count : slot(order, RANKS - 1);
    int shift = RANK_BITS * rank;
    long before = order & ((1L << shift) - 1);
    long behind = order >>> shift << (shift + RANK_BITS);
    long all = (1L << (RANK_BITS * RANKS)) - 1;
    auctions.values(ORDER)[entry] = (before | (long) slot << shift | behind) & all;
    auctions.values(PRICE + slot)[entry] = bids.longs(Nexmark.BID_PRICE)[row];
    auctions.values(BIDDER + slot)[entry] = bids.longs(Nexmark.BID_BIDDER)[row];
    auctions.values(TIME + slot)[entry] = bids.longs(Nexmark.BID_TIME)[row];
    if (count < RANKS) {
      auctions.values(COUNT)[entry] = count + 1L;
    } else {
      texts.remove(entry, slot);
    }
    texts.put(entry, slot, bids, row);
  }

  /** Adds a change for each rank from the given one on; ranks from {@code before} on are new. */
  private void emitFrom(int entry, int rank, int before) {
    int first = changes.rows();
    int count = (int) auctions.values(COUNT)[entry];
    long order = auctions.values(ORDER)[entry];
    long auction = auctions.key(entry, 0);
    Texts channels = changes.texts(4);
    Texts urls = changes.texts(5);
    Texts extras = changes.texts(7);
    for (int r = rank, row = first; r < count; r++, row++) {
      int slot = slot(order, r);
      changes.longs(0)[row] = r < before ? UPDATE : INSERT;
      changes.longs(1)[row] = auction;
      changes.longs(2)[row] = auctions.values(BIDDER + slot)[entry];
      changes.longs(3)[row] = auctions.values(PRICE + slot)[entry];
      changes.longs(6)[row] = auctions.values(TIME + slot)[entry];
      changes.longs(8)[row] = r + 1L;
      texts.addTo(channels, urls, extras, entry, slot);
    }
    changes.rows(first + count - rank);
  }

  private void emitChanges(Emitter<TableBlock> out) {
    if (changes.rows() > 0) {
      out.emit(changes);
      changes = new TableBlock(OUT, BLOCK_ROWS);
    }
  }

  @Override
  public StateSnapshot snapshot() {
    return StateSnapshot.of(auctions.snapshot(), texts.snapshot(auctions, COUNT));
  }

  @Override
  public void restore(int group, BlockInput in) {
    int before = auctions.size();
    auctions.restore(in);
    texts.restore(in, auctions, COUNT, before);
  }
}
