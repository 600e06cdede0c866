package io.millrace.lab.nexmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.wire.block.TableBlock;
import java.util.Arrays;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class NexmarkGeneratorTest {
  private static final int EPOCHS = 2_000;

  private final NexmarkGenerator generator = new NexmarkGenerator(1);
  private final TableBlock bids = generator.bids(100_000, EPOCHS);

  @Test
  void oneOfFiftyEventsIsAPersonAndThreeAreAuctions() {
    assertThat(generator.persons(0, EPOCHS).rows()).isEqualTo(EPOCHS);
    assertThat(generator.auctions(0, EPOCHS).rows()).isEqualTo(3 * EPOCHS);
    assertThat(bids.rows()).isEqualTo(46 * EPOCHS);
  }

  @Test
  void anEventIsAFunctionOfItsNumber() {
    TableBlock whole = generator.bids(500, 2);
    TableBlock second = new NexmarkGenerator(1).bids(501, 1);
    for (int row = 0; row < second.rows(); row++) {
      for (int column = 0; column < whole.schema().size(); column++) {
        assertThat(whole.text(second.rows() + row, column)).isEqualTo(second.text(row, column));
      }
    }
    assertThat(new NexmarkGenerator(2).bids(501, 1).longs(Nexmark.BID_PRICE))
        .isNotEqualTo(second.longs(Nexmark.BID_PRICE));
  }

  @Test
  void halfOfTheBidsGoToHotAuctionsAndThreeInFourComeFromHotBidders() {
    long first = NexmarkGenerator.FIRST_ID;
    long hotAuctions = count(bids.longs(Nexmark.BID_AUCTION), id -> (id - first) % 100 == 0);
    long hotBidders = count(bids.longs(Nexmark.BID_BIDDER), id -> (id - first) % 100 == 1);
    // One in a hundred of the others is hot by chance.
    assertThat((double) hotAuctions / bids.rows()).isCloseTo(0.5 + 0.5 / 100, within(0.01));
    assertThat((double) hotBidders / bids.rows()).isCloseTo(0.75 + 0.25 / 100, within(0.01));
  }

  private static long count(long[] ids, LongPredicate isHot) {
    return LongStream.of(ids).filter(isHot).count();
  }

  @Test
  void bidsAreForOpenAuctionsAndTheNextTen() {
    for (int row = 0; row < bids.rows(); row++) {
      long epoch = 100_000L + row / 46;
      long last = NexmarkGenerator.FIRST_ID + 3 * epoch + 2;
      assertThat(bids.longs(Nexmark.BID_AUCTION)[row]).isBetween(last - 100, last + 10);
      assertThat(bids.longs(Nexmark.BID_AUCTION)[row])
          .isLessThan(NexmarkGenerator.auctionsBefore(epoch + 1));
    }
  }

  @Test
  void pricesSpreadOverThePowersOfTen() {
    int[] powers = new int[9];
    for (int row = 0; row < bids.rows(); row++) {
      powers[(int) Math.log10((double) bids.longs(Nexmark.BID_PRICE)[row])]++;
    }
    assertThat(Arrays.copyOf(powers, 2)).containsOnly(0);
    for (int power = 2; power < 8; power++) {
      assertThat((double) powers[power] / bids.rows()).isCloseTo(1.0 / 6, within(0.01));
    }
  }

  @Test
  void eventsHaveTheirSizes() {
    assertThat(meanLength(bids, Nexmark.BID_EXTRA)).isCloseTo(100 - 32, within(1.0));
    TableBlock auctions = generator.auctions(0, EPOCHS);
    double texts = meanLength(auctions, 1) + meanLength(auctions, 2) + meanLength(auctions, 9);
    assertThat(texts + 48).isCloseTo(500, within(5.0));
  }

  private static double meanLength(TableBlock block, int column) {
    return IntStream.range(0, block.rows())
        .map(row -> block.texts(column).length(row))
        .average()
        .orElseThrow();
  }
}
