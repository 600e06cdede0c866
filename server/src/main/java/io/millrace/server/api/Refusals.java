package io.millrace.server.api;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Recent rejections: the last hundred pairs of sender and reason with their counts, for an hour
 * each. Thread-safe.
 */
public final class Refusals {
  private static final int MOST = 100;
  private static final int MAX_LINES = 5;
  private static final Duration KEPT = Duration.ofHours(1);

  /** Reason of a rejection. */
  public interface Reason {
    /** The sender's fault, as a phrase. */
    String cause();

    /** The remedy, as a phrase. */
    String advice();
  }

  private record RefusalKey(Reason reason, String sender) {}

  private static final class Count {
    private long times;
    private long lastNanos;
  }

  private final LongSupplier nanoTime;
  private final Map<RefusalKey, Count> refused =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RefusalKey, Count> eldest) {
          return size() > MOST;
        }
      };

  /** Starts empty. */
  public Refusals() {
    this(System::nanoTime);
  }

  Refusals(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Counts a rejection. */
  public synchronized void add(Reason reason, String sender) {
    Count count = refused.computeIfAbsent(new RefusalKey(reason, sender), key -> new Count());
    count.times++;
    count.lastNanos = nanoTime.getAsLong();
  }

  /**
   * One line for each of the five most frequent.
   *
   * @param of the kind of request, the line's first word
   */
  public synchronized List<String> lines(String of) {
    long now = nanoTime.getAsLong();
    refused.values().removeIf(count -> now - count.lastNanos > KEPT.toNanos());
    return refused.entrySet().stream()
        .sorted(Comparator.comparingLong(each -> -each.getValue().times))
        .limit(MAX_LINES)
        .map(each -> line(of, each.getKey(), each.getValue().times))
        .toList();
  }

  private static String line(String of, RefusalKey refused, long times) {
    return String.format(
        Locale.ROOT,
        "%s: %s was rejected %s: %s; %s",
        of,
        refused.sender,
        times == 1 ? "once" : String.format(Locale.ROOT, "%,d times", times),
        refused.reason.cause(),
        refused.reason.advice());
  }
}
