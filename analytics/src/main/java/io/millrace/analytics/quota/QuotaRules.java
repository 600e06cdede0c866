package io.millrace.analytics.quota;

import io.millrace.wire.block.TableBlock;
import java.io.Serializable;
import java.util.HashSet;
import java.util.List;

/**
 * When a subscriber who watches a video is told something. Of the first three rules exactly one, or
 * none, holds for a usage record; rules are numbered in the order of {@code names}, and the further
 * ones, each of which holds or not, behind them:
 *
 * <pre>
 *   0              percent of the limit          limit
 *   +----------------------+-----------------------+--------------------------------
 *   | none                 | 0: nearly used up     | 1: used up, while complimentary quota
 *   |                      |                       |    is left or was never granted
 *   |                      |                       | 2: used up, and what was granted too
 * </pre>
 *
 * @param percent of the limit from which on it is nearly used up, 1 to 100
 * @param windowMicros how long a usage record holds, and how long a signal is not repeated
 * @param names of the three rules, as they stand in signals; no name twice
 * @param further rules besides, at most {@value #MOST_FURTHER}
 */
public record QuotaRules(int percent, long windowMicros, List<String> names, List<Further> further)
    implements Serializable {
  /** No rule holds. */
  public static final int NONE = -1;

  /** Most rules besides the three. */
  public static final int MOST_FURTHER = 6;

  /**
   * A rule besides the three: a signal is given if both conditions hold.
   *
   * @param name as it stands in signals
   * @param usage of the usage record
   * @param event of the streaming event
   */
  public record Further(String name, RecordCondition usage, RecordCondition event)
      implements Serializable {}

  private static final int NEARLY_USED_UP = 0;
  private static final int USED_UP = 1;
  private static final int ALL_USED_UP = 2;

  /** Rules that there always are; the further ones are counted on from here. */
  static final int RULES = 3;

  private static final int LONGEST_NAME = 40;
  private static final long LONGEST_WINDOW = 7 * 86_400_000_000L;

  /** Checks each value. */
  public QuotaRules {
    names = List.copyOf(names);
    further = List.copyOf(further);
    require(percent >= 1 && percent <= 100, "warn-percent: " + percent + " is not in 1 to 100");
    require(
        windowMicros >= 1_000_000 && windowMicros <= LONGEST_WINDOW,
        "window: " + windowMicros / 1_000 + "ms is not in 1s to 7d");
    require(
        names.size() == RULES && new HashSet<>(names).size() == RULES,
        "names: " + names + " are not three different names");
    for (String name : names) {
      requireName("names", name);
    }
    require(
        further.size() <= MOST_FURTHER,
        "rules: " + further.size() + " are more than " + MOST_FURTHER);
    for (Further rule : further) {
      requireName("rules", rule.name);
      require(!names.contains(rule.name), "rules: " + rule.name + " is one of the three names");
    }
  }

  private static void requireName(String key, String name) {
    require(
        !name.isBlank() && name.length() <= LONGEST_NAME,
        key + ": '" + name + "' is not 1 to " + LONGEST_NAME + " characters");
  }

  /** The three rules alone. */
  public QuotaRules(int percent, long windowMicros, List<String> names) {
    this(percent, windowMicros, names, List.of());
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /**
   * The rule that holds for a usage record; {@link #NONE} if none does.
   *
   * @param limit of the plan, 1 to {@link QuotaRecords#MOST_QUOTA}, as the other amounts are, which
   *     may be 0; all in one unit
   * @param granted complimentary quota
   * @param consumed how much of that
   */
  public int of(long limit, long used, long granted, long consumed) {
    if (used * 100 < limit * percent) {
      return NONE;
    }
    if (used < limit) {
      return NEARLY_USED_UP;
    }
    return granted > 0 && consumed >= granted ? ALL_USED_UP : USED_UP;
  }

  /** Name of a rule. */
  String name(int rule) {
    return rule < RULES ? names.get(rule) : further.get(rule - RULES).name;
  }

  /**
   * The further rules whose condition on the usage record holds, a bit for each.
   *
   * @param usage with places
   */
  long furtherOfUsage(TableBlock usage, int row) {
    long rules = 0;
    for (int i = 0; i < further.size(); i++) {
      rules |= further.get(i).usage.holds(usage, row) ? 1L << i : 0;
    }
    return rules;
  }

  /**
   * The further rules whose condition on the streaming event holds, a bit for each.
   *
   * @param events with places
   */
  long furtherOfEvent(TableBlock events, int row) {
    long rules = 0;
    for (int i = 0; i < further.size(); i++) {
      rules |= further.get(i).event.holds(events, row) ? 1L << i : 0;
    }
    return rules;
  }
}
