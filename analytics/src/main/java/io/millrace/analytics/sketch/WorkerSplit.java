package io.millrace.analytics.sketch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The distributed mode of {@link LdSketch}, for sketches of any kind: a key's rows go to d of q
 * workers, and it is a hitter if all d of them report it. A key collides with different keys at
 * each worker, so joined reports are more precise in little memory, and no worker has more than its
 * share of a heavy key. But each worker has the same amount of other traffic in addition, so recall
 * is lower.
 *
 * <p>The key determines the d workers; each row goes to a random one of them. So a worker has about
 * f / d of a key with the weight f, and reports keys with half of that share of the threshold. The
 * sum of the estimates decides, with the sums of the bounds. A key with very few rows may reach
 * only one worker and is then missed: use this only with many rows per key.
 *
 * <p>The workers' sketches have different seeds. Not thread-safe.
 */
public final class WorkerSplit {
  private static final double SLACK = 0.5;

  private final int workers;
  private final KeyHash[] choices;
  private final int[] chosen;
  private long random;

  /**
   * A split.
   *
   * @param workers q of them
   * @param perKey d, at most q
   */
  public WorkerSplit(int workers, int perKey, int keyBytes, long seed) {
    if (perKey < 1 || perKey > workers) {
      throw new IllegalArgumentException(perKey + " workers per key, expected 1 to " + workers);
    }
    this.workers = workers;
    choices = KeyHash.several(perKey, KeyBlock.words(keyBytes), seed);
    chosen = new int[perKey];
    random = seed | 1;
  }

  /**
   * Distributes the rows of a block.
   *
   * @param parts a block for each worker, with capacity for all rows; rows are appended
   */
  public void split(KeyBlock block, List<KeyBlock> parts) {
    for (int row = 0; row < block.rows(); row++) {
      Key key = block.key(row);
      choose(key);
      parts.get(chosen[turn()]).add(key, block.weights()[row]);
    }
  }

  private int turn() {
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    return (int) (((random >>> 32) * chosen.length) >>> 32);
  }

  private void choose(Key key) {
    for (int i = 0; i < chosen.length; i++) {
      int worker = choices[i].place(key.words(), 0, KeyHash.WHOLE, workers - i);
      int at = 0;
      while (at < i && worker >= chosen[at]) {
        worker++;
        at++;
      }
      System.arraycopy(chosen, at, chosen, at + 1, i - at);
      chosen[at] = worker;
    }
  }

  /**
   * Keys that all of their workers report and whose summed estimates reach the threshold, largest
   * first.
   *
   * @param sketches one for each worker, in order
   */
  public List<Hitter> join(List<? extends HitterSketch> sketches, long threshold) {
    long share = Math.max(1, (long) (SLACK * threshold / chosen.length));
    Map<Key, Integer> reports = new HashMap<>();
    for (int worker = 0; worker < workers; worker++) {
      for (Hitter hitter : sketches.get(worker).hitters(share)) {
        choose(hitter.key());
        for (int own : chosen) {
          if (own == worker) {
            reports.merge(hitter.key(), 1, Integer::sum);
          }
        }
      }
    }
    List<Hitter> joined = new ArrayList<>();
    reports.forEach(
        (key, count) -> {
          if (count == chosen.length) {
            Estimate sum = sum(key, sketches);
            if (sum.value() >= threshold) {
              joined.add(new Hitter(key, sum));
            }
          }
        });
    joined.sort(Hitter.LARGEST_FIRST);
    return joined;
  }

  private Estimate sum(Key key, List<? extends HitterSketch> sketches) {
    choose(key);
    Estimate sum = new Estimate(0, 0, 0);
    for (int worker : chosen) {
      sum = sum.plus(sketches.get(worker).estimate(key));
    }
    return sum;
  }
}
