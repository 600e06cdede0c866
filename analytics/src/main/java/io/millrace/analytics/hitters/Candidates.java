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
 *   bucket  | lead | first seen | the key's words | details, or none |
 * </pre>
 *
 * A key votes in one of 4,096 buckets, as in an {@link io.millrace.analytics.sketch.MvSketch}: for
 * itself, or against the one that is there, which it replaces when that one's lead is used up. A
 * key whose lead is a 1,024th of all weight so far is a candidate. Leads are no greater than
 * weights, so at any time there are 1,024 candidates at most; details of keys that have fallen
 * behind are dropped when there are twice as many. Not thread-safe.
 */
final class Candidates {
  private static final int VERSION = 1;
  private static final int BUCKETS = 4_096;
  private static final int MOST = 1_024;

  private final int words;
  private final long seed;
  private final long[] leads = new long[BUCKETS];
  private final long[] firstSeen = new long[BUCKETS];
  private final long[] keys;
  private final CandidateDetails[] details = new CandidateDetails[BUCKETS];
  private int held;
  private long total;

  Candidates(HitterKind kind, long seed) {
    this.seed = seed;
    words = kind.words();
    keys = new long[BUCKETS * words];
  }

  /**
   * A key votes with what it has in a block.
   *
   * @param key whose words stand at {@code row}
   * @param time of its first flow in the block
   * @return where its flows are to be counted; null if it is no candidate
   */
  CandidateDetails vote(long[][] key, int row, long time, long weight) {
    if (weight == 0) {
      return null;
    }
    total += weight;
    int bucket = bucket(key, row);
    if (isThere(bucket, key, row)) {
      leads[bucket] += weight;
    } else if (leads[bucket] >= weight) {
      leads[bucket] -= weight;
      return null;
    } else {
      replace(bucket, key, row, weight - leads[bucket], time);
    }
    if (details[bucket] == null) {
      if (leads[bucket] <= total / MOST) {
        return null;
      }
      admit(bucket);
    }
    return details[bucket];
  }

  private int bucket(long[][] key, int row) {
    long hash = seed;
    for (long[] word : key) {
      hash = DetailColumns.mix(hash ^ word[row]);
    }
    return (int) hash & (BUCKETS - 1);
  }

  private boolean isThere(int bucket, long[][] key, int row) {
    if (leads[bucket] == 0) {
      return false;
    }
    for (int word = 0; word < words; word++) {
      if (keys[bucket * words + word] != key[word][row]) {
        return false;
      }
    }
    return true;
  }

  private void replace(int bucket, long[][] key, int row, long lead, long time) {
    for (int word = 0; word < words; word++) {
      keys[bucket * words + word] = key[word][row];
    }
    leads[bucket] = lead;
    firstSeen[bucket] = time;
    drop(bucket);
  }

  private void drop(int bucket) {
    held -= details[bucket] == null ? 0 : 1;
    details[bucket] = null;
  }

  private void admit(int bucket) {
    if (held == 2 * MOST) {
      for (int other = 0; other < BUCKETS; other++) {
        if (leads[other] <= total / MOST) {
          drop(other);
        }
      }
    }
    details[bucket] = new CandidateDetails(firstSeen[bucket]);
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
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      if (details[bucket] != null) {
        out.putLong(leads[bucket]);
        for (int word = 0; word < words; word++) {
          out.putLong(keys[bucket * words + word]);
        }
        details[bucket].write(out);
      }
    }
  }

  /** Adds what {@link #write} has written of another one; of two in a bucket the greater stays. */
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
              int bucket = bucket(key, 0);
              if (isThere(bucket, key, 0)) {
                details[bucket].merge(read);
                leads[bucket] += lead;
                firstSeen[bucket] = details[bucket].firstSeen();
              } else if (leads[bucket] < lead) {
                replace(bucket, key, 0, lead, read.firstSeen());
                details[bucket] = read;
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
