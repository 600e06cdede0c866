package io.millrace.lab.nexmark;

import io.millrace.traffic.model.SplitMix;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;

/**
 * Generator of the events of the auction house, by the rules of the public generator
 * (github.com/nexmark/nexmark, {@code nexmark-flink}, default configuration). Of every 50 events
 * one is a person, three are auctions and 46 are bids. Half of the bids go to the hot auction of
 * the last hundred, and three in four come from the hot bidder of the last hundred people. The
 * others are spread over the last hundred auctions and the last thousand people, plus the next ten
 * of each. Prices are log-uniform from 100 to 10⁸.
 *
 * <p>An event is a function of the seed and its number: the random numbers are a hash of both and
 * of a counter. Any subtask can thus generate any batch, and repeat it after a failure. An epoch is
 * 50 events. A batch of epochs gives one block per kind of event, which loses the order among
 * kinds; no query here depends on it. Random texts are substrings of a pool of letters, which is
 * cheaper than drawing each letter; their lengths are those of the public generator. Not
 * thread-safe.
 */
final class NexmarkGenerator {
  static final int PERSONS = 1;
  static final int AUCTIONS = 3;
  static final int BIDS = 46;
  static final int EVENTS_AN_EPOCH = PERSONS + AUCTIONS + BIDS;

  static final long FIRST_ID = 1_000;

  private static final int HOT_EVERY = 100;
  private static final int HOT_AUCTION_RATIO = 2;
  private static final int HOT_BIDDER_RATIO = 4;
  private static final int HOT_SELLER_RATIO = 4;
  private static final int IN_FLIGHT_AUCTIONS = 100;
  private static final int ACTIVE_PEOPLE = 1_000;
  private static final int LEAD = 10;
  private static final int FIRST_CATEGORY = 10;
  private static final int CATEGORIES = 5;

  private static final int PERSON_BYTES = 200;
  private static final int AUCTION_BYTES = 500;
  private static final int BID_BYTES = 100;

  /** 2026-01-01; ten million events per second follow. */
  private static final long FIRST_MICROS = 1_767_225_600_000_000L;

  private static final int EVENTS_A_MICRO = 10;

  /** Random numbers that one event may draw. */
  private static final int DRAWS = 32;

  private static final long STEP = 0x9E37_79B9_7F4A_7C15L;

  private final long seed;
  private final NexmarkTexts texts;

  /** Input of the current event's next random number. */
  private long draw;

  NexmarkGenerator(long seed) {
    this.seed = seed;
    texts = new NexmarkTexts(seed);
  }

  private void beginEvent(long event) {
    draw = seed + event * DRAWS;
  }

  private long random() {
    return SplitMix.mix(draw++ * STEP);
  }

  private int below(int bound) {
    return (int) (((random() >>> 32) * bound) >>> 32);
  }

  private long price() {
    double unit = (random() >>> 11) * 0x1.0p-53;
    return Math.round(Math.pow(10, unit * 6) * 100);
  }

  static long micros(long event) {
    return FIRST_MICROS + event / EVENTS_A_MICRO;
  }

  /** Exclusive upper bound of the auction ids of bids before an epoch. */
  static long auctionsBefore(long epoch) {
    return FIRST_ID + epoch * AUCTIONS + LEAD;
  }

  /**
   * Adds a text of 3 to {@code longest − 1} letters, as {@code nextString} does in the original.
   */
  private void addString(Texts column, int longest) {
    texts.addLetters(column, random(), 3 + below(longest - 3));
  }

  /** Adds the letters missing from {@code present} to {@code average} bytes, ± 20%. */
  private void addExtra(Texts column, int present, int average) {
    int missing = Math.max(0, average - present);
    int delta = Math.round(missing * 0.2f);
    texts.addLetters(column, random(), missing - delta + (delta == 0 ? 0 : below(2 * delta)));
  }

  /** Number, from 0, of the last person that exists in this epoch. */
  private static long lastPerson(long epoch) {
    return epoch;
  }

  private long anyPerson(long epoch) {
    long people = lastPerson(epoch) + 1;
    int active = (int) Math.min(people, ACTIVE_PEOPLE);
    return people - active + below(active + LEAD);
  }

  TableBlock persons(long firstEpoch, int epochs) {
    TableBlock block = new TableBlock(Nexmark.PERSON, epochs * PERSONS);
    long[] ids = block.longs(0);
    long[] times = block.longs(6);
    for (int row = 0; row < epochs; row++) {
      long event = (firstEpoch + row) * EVENTS_AN_EPOCH;
      beginEvent(event);
      ids[row] = FIRST_ID + lastPerson(firstEpoch + row);
      times[row] = micros(event);
      int length = texts.addName(block.texts(1), below(NexmarkTexts.NAMES));
      length += texts.addEmail(block.texts(2), random());
      length += texts.addCreditCard(block.texts(3), random());
      length += texts.addCity(block.texts(4), below(NexmarkTexts.CITIES));
      length += texts.addState(block.texts(5), below(NexmarkTexts.STATES));
      addExtra(block.texts(7), Long.BYTES + length, PERSON_BYTES);
    }
    block.rows(epochs * PERSONS);
    return block;
  }

  TableBlock auctions(long firstEpoch, int epochs) {
    int rows = epochs * AUCTIONS;
    TableBlock block = new TableBlock(Nexmark.AUCTION, rows);
    for (int row = 0; row < rows; row++) {
      long epoch = firstEpoch + row / AUCTIONS;
      long event = epoch * EVENTS_AN_EPOCH + PERSONS + row % AUCTIONS;
      beginEvent(event);
      block.longs(0)[row] = FIRST_ID + firstEpoch * AUCTIONS + row;
      addString(block.texts(1), 20);
      addString(block.texts(2), 100);
      long initial = price();
      block.longs(3)[row] = initial;
      block.longs(4)[row] = initial + price();
      block.longs(5)[row] = micros(event);
      int horizon = IN_FLIGHT_AUCTIONS * EVENTS_AN_EPOCH / AUCTIONS / EVENTS_A_MICRO;
      block.longs(6)[row] = micros(event) + 1 + below(2 * horizon);
      block.longs(7)[row] =
          FIRST_ID
              + (below(HOT_SELLER_RATIO) > 0
                  ? lastPerson(epoch) / HOT_EVERY * HOT_EVERY
                  : anyPerson(epoch));
      block.longs(8)[row] = FIRST_CATEGORY + (long) below(CATEGORIES);
      int length = block.texts(1).length(row) + block.texts(2).length(row);
      addExtra(block.texts(9), 6 * Long.BYTES + length, AUCTION_BYTES);
    }
    block.rows(rows);
    return block;
  }

  TableBlock bids(long firstEpoch, int epochs) {
    int rows = epochs * BIDS;
    TableBlock block = new TableBlock(Nexmark.BID, rows);
    long[] auctions = block.longs(Nexmark.BID_AUCTION);
    long[] bidders = block.longs(Nexmark.BID_BIDDER);
    long[] prices = block.longs(Nexmark.BID_PRICE);
    long[] times = block.longs(Nexmark.BID_TIME);
    Texts channels = block.texts(Nexmark.BID_CHANNEL);
    Texts urls = block.texts(Nexmark.BID_URL);
    Texts extras = block.texts(Nexmark.BID_EXTRA);
    int row = 0;
    for (long epoch = firstEpoch; epoch < firstEpoch + epochs; epoch++) {
      long lastAuction = epoch * AUCTIONS + AUCTIONS - 1;
      long firstInFlight = Math.max(lastAuction - IN_FLIGHT_AUCTIONS, 0);
      int choice = (int) (lastAuction - firstInFlight) + 1 + LEAD;
      long hotAuction = lastAuction / HOT_EVERY * HOT_EVERY;
      long hotBidder = lastPerson(epoch) / HOT_EVERY * HOT_EVERY + 1; // next to the hot seller
      long event = epoch * EVENTS_AN_EPOCH + PERSONS + AUCTIONS;
      for (int i = 0; i < BIDS; i++, event++, row++) {
        beginEvent(event);
        boolean hot = below(HOT_AUCTION_RATIO) > 0;
        auctions[row] = FIRST_ID + (hot ? hotAuction : firstInFlight + below(choice));
        bidders[row] = FIRST_ID + (below(HOT_BIDDER_RATIO) > 0 ? hotBidder : anyPerson(epoch));
        prices[row] = price();
        times[row] = micros(event);
        texts.addChannel(channels, urls, random());
        addExtra(extras, 4 * Long.BYTES, BID_BYTES);
      }
    }
    block.rows(rows);
    return block;
  }
}
