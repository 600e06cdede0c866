package io.millrace.server.metrics;

import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counts rejections by reason, and keeps the last hundred pairs of sender and reason, each for an
 * hour. Thread-safe.
 *
 * @param <R> enum of the reasons
 */
public final class RejectionCounts<R extends Enum<R> & RejectionCounts.Reason> {
  private static final int MAX_RECENT = 100;
  private static final int MAX_LINES = 5;
  private static final Duration RETENTION = Duration.ofHours(1);

  /** Reason of a rejection. */
  public interface Reason {
    /** Cause, as a phrase. */
    String cause();

    /** Remedy, as a phrase. */
    String advice();

    /** Name of the constant. */
    String name();

    /** Label in metrics. */
    default String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private record Key(Reason reason, String sender) {}

  private static final class Recent {
    private long times;
    private long lastNanos;
  }

  private final LongSupplier nanoTime;
  private final Map<R, LongAdder> totals;
  private final Map<Key, Recent> recent =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Recent> eldest) {
          return size() > MAX_RECENT;
        }
      };

  /** Starts at zero. */
  public RejectionCounts(Class<R> reasons) {
    this(reasons, System::nanoTime);
  }

  RejectionCounts(Class<R> reasons, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    totals = new EnumMap<>(reasons);
    for (R reason : reasons.getEnumConstants()) {
      totals.put(reason, new LongAdder());
    }
  }

  /** Counts a rejection. */
  public void add(R reason, Object sender) {
    addRecent(reason, sender.toString()); // before the total, so that readers of the total find it
    totals.get(reason).increment();
  }

  private synchronized void addRecent(R reason, String sender) {
    Recent pair = recent.computeIfAbsent(new Key(reason, sender), key -> new Recent());
    pair.times++;
    pair.lastNanos = nanoTime.getAsLong();
  }

  /** Number of rejections for a reason. */
  public long total(R reason) {
    return totals.get(reason).sum();
  }

  /**
   * Returns a line for each of the five most frequent recent pairs.
   *
   * @param what kind of request, the first word of each line
   */
  public synchronized List<String> lines(String what) {
    long now = nanoTime.getAsLong();
    recent.values().removeIf(pair -> now - pair.lastNanos > RETENTION.toNanos());
    return recent.entrySet().stream()
        .sorted(Comparator.comparingLong(each -> -each.getValue().times))
        .limit(MAX_LINES)
        .map(each -> line(what, each.getKey(), each.getValue().times))
        .toList();
  }

  private static String line(String what, Key key, long times) {
    return String.format(
        Locale.ROOT,
        "%s: %s was rejected %s: %s; %s",
        what,
        key.sender,
        times == 1 ? "once" : String.format(Locale.ROOT, "%,d times", times),
        key.reason.cause(),
        key.reason.advice());
  }
}
