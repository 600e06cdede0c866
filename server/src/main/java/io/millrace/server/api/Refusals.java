package io.millrace.server.api;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Who was refused what of late, and how often: the last hundred pairs of a sender and a reason,
 * each for an hour. Thread-safe.
 */
public final class Refusals {
  private static final int MOST = 100;
  private static final int MOST_TOLD = 5;
  private static final Duration KEPT = Duration.ofHours(1);

  /** Why something was refused. */
  public interface Reason {
    /** What the sender does, for a person. */
    String cause();

    /** What to do about it, for a person. */
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

  /** None so far. */
  public Refusals() {
    this(System::nanoTime);
  }

  Refusals(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Counts one. */
  public synchronized void add(Reason reason, String sender) {
    Count count = refused.computeIfAbsent(new RefusalKey(reason, sender), key -> new Count());
    count.times++;
    count.lastNanos = nanoTime.getAsLong();
  }

  /**
   * One line for each of those that were refused most, at most five.
   *
   * @param of what they ask for or bring, the line's first word
   */
  public synchronized List<String> lines(String of) {
    long now = nanoTime.getAsLong();
    refused.values().removeIf(count -> now - count.lastNanos > KEPT.toNanos());
    return refused.entrySet().stream()
        .sorted(Comparator.comparingLong(each -> -each.getValue().times))
        .limit(MOST_TOLD)
        .map(each -> line(of, each.getKey(), each.getValue().times))
        .toList();
  }

  private static String line(String of, RefusalKey refused, long times) {
    return String.format(
        Locale.ROOT,
        "%s: %s was refused, %s: %s; %s",
        of,
        refused.sender,
        times == 1 ? "once" : String.format(Locale.ROOT, "%,d times", times),
        refused.reason.cause(),
        refused.reason.advice());
  }
}
