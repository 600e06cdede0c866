package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Key;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Map;

/**
 * Keys of a kind and an epoch that may become heavy, with what their traffic is like: so that of
 * millions of keys only some hundreds have details.
 *
 * <pre>
 *   place  | lead |   | 32 bits of the key's hash |   | first seen | the key's words |   | details, or none |
 * </pre>
 *
 * There are 1,024 buckets of four places. A key votes for itself in its bucket, or, as in an {@link
 * io.millrace.analytics.sketch.MvSketch}, against the one there that has the least lead, which it
 * replaces when that is used up. Where the weight of a key is known, from the table in which it is
 * counted, that is its lead, and it takes the place of one with less. So heavy keys that meet in a
 * bucket all stay, up to four. A key whose lead is a 1,024th of all weight so far is a candidate.
 * Leads are no greater than weights, so at any time there are 1,024 candidates at most; details of
 * keys that have fallen behind are dropped when there are twice as many. Not thread-safe.
 */
final class Candidates {
  private static final int VERSION = 1;
  private static final int LG_BUCKETS = 10;
  private static final int WAYS = 4;

  /** A key with less than this part of all weight need not vote. */
  static final int PLACES = WAYS << LG_BUCKETS;

  /** What is known of the weight of a key that need not vote. */
  static final long NOTHING = 0;

  /** In place of that weight where nobody knows it. */
  static final long UNKNOWN = -1;

  private static final int MOST = 1_024;

  private static final int KEY = 1;

  private final int words;
  private final int stride;
  private final long seed;
  private final long epoch;

  /** By place; most votes touch these two alone. */
  private final long[] leads = new long[PLACES];

  private final int[] tags = new int[PLACES];

  /** By place when the key was first seen, and its words. */
  private final long[] cells;

  private final CandidateDetails[] details = new CandidateDetails[PLACES];
  private int held;
  private long total;

  /** Keeps the reads that only fetch lines from being left out. */
  @SuppressWarnings("UnusedVariable")
  private long fetched;

  /**
   * None yet.
   *
   * @param seed of the hashes of keys
   * @param epoch its begin
   */
  Candidates(HitterKind kind, long seed, long epoch) {
    this.seed = seed;
    this.epoch = epoch;
    words = kind.words();
    stride = KEY + words;
    cells = new long[PLACES * stride];
  }

  /** Fetches what some keys vote on, all at once, so that it is there when their turn comes. */
  void fetch(long[] hashes, int count) {
    long touched = 0;
    for (int i = 0; i < count; i++) {
      int first = first(hashes[i]);
      touched += leads[first] + leads[first + WAYS - 1] + tags[first];
    }
    fetched = touched;
  }

  private static int first(long hash) {
    return (int) (hash >>> (Long.SIZE - LG_BUCKETS)) * WAYS;
  }

  /** Counts a flow, before its key votes if it does. */
  void count(long weight) {
    total += weight;
  }

  /**
   * A key votes with what a flow has.
   *
   * @param hash of the key, by {@link EqualRows}
   * @param key whose words stand at {@code row}
   * @param time of the flow
   * @param weight of the flow, not 0
   * @param known weight of the key with this flow, at least; or {@link #UNKNOWN}
   * @return where the flow is to be counted; null if its key is no candidate
   */
  CandidateDetails vote(long hash, long[][] key, int row, long time, long weight, long known) {
    int place = find(hash, key, row);
    if (place >= 0) {
      leads[place] = known == UNKNOWN ? leads[place] + weight : Math.max(leads[place], known);
    } else if (known == UNKNOWN && leads[~place] >= weight) {
      leads[~place] -= weight;
      return null;
    } else if (known != UNKNOWN && leads[~place] >= known) {
      return null;
    } else {
      place = ~place;
      replace(place, hash, key, row, known == UNKNOWN ? weight - leads[place] : known, time);
    }
    if (details[place] == null) {
      if (leads[place] <= total / MOST) {
        return null;
      }
      admit(place);
    }
    return details[place];
  }

  /** The place of a key; if it has none, the complement of the one with the least lead. */
  private int find(long hash, long[][] key, int row) {
    int first = first(hash);
    int least = first;
    for (int place = first; place < first + WAYS; place++) {
      if (tags[place] == (int) hash && leads[place] != 0 && isKey(place, key, row)) {
        return place;
      }
      least = leads[place] < leads[least] ? place : least;
    }
    return ~least;
  }

  private boolean isKey(int place, long[][] key, int row) {
    for (int word = 0; word < words; word++) {
      if (cells[place * stride + KEY + word] != key[word][row]) {
        return false;
      }
    }
    return true;
  }

  private void replace(int place, long hash, long[][] key, int row, long lead, long time) {
    leads[place] = lead;
    tags[place] = (int) hash;
    cells[place * stride] = time;
    for (int word = 0; word < words; word++) {
      cells[place * stride + KEY + word] = key[word][row];
    }
    drop(place);
  }

  private void drop(int place) {
    held -= details[place] == null ? 0 : 1;
    details[place] = null;
  }

  private void admit(int place) {
    if (held == 2 * MOST) {
      for (int other = 0; other < PLACES; other++) {
        if (leads[other] <= total / MOST) {
          drop(other);
        }
      }
    }
    details[place] = new CandidateDetails(cells[place * stride]);
    held++;
  }

  /**
   * Appends the keys that have details: what is told of an epoch, and what is kept over a failure.
   *
   * <pre>
   *   version | total | count | { lead | the key's words | details } …
   * </pre>
   */
  void write(BlockBuffer out) {
    out.putByte(VERSION);
    out.putLong(total);
    out.putInt(held);
    for (int place = 0; place < PLACES; place++) {
      if (details[place] != null) {
        out.putLong(leads[place]);
        for (int word = 0; word < words; word++) {
          out.putLong(cells[place * stride + KEY + word]);
        }
        details[place].write(out);
      }
    }
  }

  /**
   * Adds what {@link #write} has written of another one; of those in a bucket the greatest stay.
   */
  void read(BlockInput in) {
    long[][] key = new long[words][1];
    total +=
        read(
            in,
            words,
            (lead, written, read) -> {
              for (int word = 0; word < words; word++) {
                key[word][0] = written[word];
              }
              long hash = EqualRows.hash(seed, epoch, written);
              int place = find(hash, key, 0);
              if (place >= 0) {
                details[place].merge(read);
                leads[place] += lead;
                cells[place * stride] = details[place].firstSeen();
              } else if (leads[~place] < lead) {
                replace(~place, hash, key, 0, lead, read.firstSeen());
                details[~place] = read;
                held++;
              }
            });
  }

  /** Adds the details that {@link #write} has written to those of the same keys. */
  static void merge(BlockInput in, HitterKind kind, Map<Key, CandidateDetails> into) {
    var unused =
        read(
            in,
            kind.words(),
            (lead, words, details) ->
                into.computeIfAbsent(
                        Key.ofWords(kind.bytes(), words), key -> new CandidateDetails())
                    .merge(details));
  }

  /** Takes a candidate that was written. */
  private interface Reader {
    void take(long lead, long[] key, CandidateDetails details);
  }

  private static long read(BlockInput in, int words, Reader to) {
    in.takeVersion(VERSION, "candidates");
    long total = in.takeLong();
    for (int left = in.takeInt(); left > 0; left--) {
      long lead = in.takeLong();
      long[] key = new long[words];
      for (int word = 0; word < words; word++) {
        key[word] = in.takeLong();
      }
      CandidateDetails details = new CandidateDetails();
      details.read(in);
      to.take(lead, key, details);
    }
    return total;
  }
}
