package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Key;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Map;

/**
 * Keys of a kind and an epoch that may become heavy, with the profiles of their traffic, which
 * limits profiles to some hundred of millions of keys.
 *
 * <pre>
 *   place  | lead |   | 32 bits of the key's hash |   | first seen | the key's words |   | details, or none |
 * </pre>
 *
 * There are 1,024 buckets of four places. A key votes for itself in its bucket, or, as in an {@link
 * io.millrace.analytics.sketch.MvSketch}, against the key there with the least lead, which it
 * replaces when that lead is 0. Where the weight of a key is known from its count table, that
 * weight is its lead, and it replaces a key with less. So a bucket keeps up to four heavy keys. A
 * key whose lead is a 1,024th of all weight so far is a candidate. Leads do not exceed weights, so
 * there are at most 1,024 candidates at a time; details of former candidates are dropped when there
 * are twice as many. Not thread-safe.
 */
final class Candidates {
  private static final int VERSION = 1;
  private static final int LG_BUCKETS = 10;
  private static final int WAYS = 4;

  /** A key with less than 1/{@code PLACES} of the total weight need not vote. */
  static final int PLACES = WAYS << LG_BUCKETS;

  /** Value of a known weight: the key need not vote. */
  static final long NOTHING = 0;

  /** Value of a known weight: not known. */
  static final long UNKNOWN = -1;

  private static final int MAX = 1_024;

  private static final int KEY = 1;

  private final int words;
  private final int stride;
  private final long seed;
  private final long epoch;

  private final long[] leads = new long[PLACES];

  private final int[] tags = new int[PLACES];

  private final long[] cells;

  private final CandidateDetails[] details = new CandidateDetails[PLACES];
  private int held;
  private long total;

  /** Blackhole that keeps the prefetching reads from being eliminated. */
  @SuppressWarnings("UnusedVariable")
  private long fetched;

  Candidates(HitterKind kind, long seed, long epoch) {
    this.seed = seed;
    this.epoch = epoch;
    words = kind.words();
    stride = KEY + words;
    cells = new long[PLACES * stride];
  }

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

  void count(long weight) {
    total += weight;
  }

  /**
   * Lets a key vote with the weight of a flow.
   *
   * @param hash of the key, by {@link EqualRows}
   * @param key words, at {@code row}
   * @param weight of the flow, not 0
   * @param known lower bound of the key's weight including this flow; or {@link #UNKNOWN}
   * @return details that count the flow; null if the key is not a candidate
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
      if (leads[place] <= total / MAX) {
        return null;
      }
      admit(place);
    }
    return details[place];
  }

  /** The place of a key; if it has none, the complement of the place with the least lead. */
  private int find(long hash, long[][] key, int row) {
    int first = first(hash);
    int min = first;
    for (int place = first; place < first + WAYS; place++) {
      if (tags[place] == (int) hash && leads[place] != 0 && isKey(place, key, row)) {
        return place;
      }
      min = leads[place] < leads[min] ? place : min;
    }
    return ~min;
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
    if (held == 2 * MAX) {
      for (int other = 0; other < PLACES; other++) {
        if (leads[other] <= total / MAX) {
          drop(other);
        }
      }
    }
    details[place] = new CandidateDetails(cells[place * stride]);
    held++;
  }

  /**
   * Appends the keys that have details, for results and checkpoints.
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

  /** Merges the output of {@link #write}; a bucket keeps the keys with the largest leads. */
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
