package io.millrace.analytics.quota;

import io.millrace.wire.block.TableBlock;
import java.io.Serializable;
import java.util.HashSet;
import java.util.List;

/**
 * Rules for signals about subscribers who watch a video. At most one of the first three rules
 * matches a usage record; rules are numbered in the order of {@code names}, followed by the
 * independent further ones:
 *
 * <pre>
 *   0              percent of the limit          limit
 *   +----------------------+-----------------------+--------------------------------
 *   | none                 | 0: nearly used up     | 1: used up, while complimentary quota
 *   |                      |                       |    is left or was never granted
 *   |                      |                       | 2: used up, and what was granted too
 * </pre>
 *
 * @param percent of the limit from which it is nearly used up, 1 to 100
 * @param windowMicros how long a usage record is valid, and how long a signal is not repeated
 * @param names of the three rules in signals, all different
 * @param further additional rules, at most {@value #MAX_FURTHER}
 */
public record QuotaRules(int percent, long windowMicros, List<String> names, List<Further> further)
    implements Serializable {
  /** No rule matches. */
  public static final int NONE = -1;

  /** Maximum number of additional rules. */
  public static final int MAX_FURTHER = 6;

  /**
   * Additional rule: signals if both conditions match.
   *
   * @param name in signals
   * @param usage condition on the usage record
   * @param event condition on the streaming event
   */
  public record Further(String name, RecordCondition usage, RecordCondition event)
      implements Serializable {}

  private static final int NEARLY_USED_UP = 0;
  private static final int USED_UP = 1;
  private static final int ALL_USED_UP = 2;

  static final int RULES = 3;

  private static final int LONGEST_NAME = 40;
  private static final long LONGEST_WINDOW = 7 * 86_400_000_000L;

  /** Checks each value. */
  public QuotaRules {
    names = List.copyOf(names);
    further = List.copyOf(further);
    require(percent >= 1 && percent <= 100, "warn-percent: " + percent + ", expected 1 to 100");
    require(
        windowMicros >= 1_000_000 && windowMicros <= LONGEST_WINDOW,
        "window: " + windowMicros / 1_000 + "ms, expected 1s to 7d");
    require(
        names.size() == RULES && new HashSet<>(names).size() == RULES,
        "names: " + names + ", expected three different names");
    for (String name : names) {
      requireName("names", name);
    }
    require(
        further.size() <= MAX_FURTHER,
        "rules: " + further.size() + ", expected at most " + MAX_FURTHER);
    for (Further rule : further) {
      requireName("rules", rule.name);
      require(
          !names.contains(rule.name), "rules: " + rule.name + " duplicates one of the three names");
    }
  }

  private static void requireName(String key, String name) {
    require(
        !name.isBlank() && name.length() <= LONGEST_NAME,
        key + ": '" + name + "', expected 1 to " + LONGEST_NAME + " characters");
  }

  /** The three rules only. */
  public QuotaRules(int percent, long windowMicros, List<String> names) {
    this(percent, windowMicros, names, List.of());
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /**
   * The rule that matches a usage record; {@link #NONE} if there is none.
   *
   * @param limit of the plan, 1 to {@link QuotaRecords#MAX_QUOTA}; the other amounts have the same
   *     maximum and unit, and may be 0
   * @param granted complimentary quota
   * @param consumed complimentary quota used
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

  String name(int rule) {
    return rule < RULES ? names.get(rule) : further.get(rule - RULES).name;
  }

  /** A bit for each additional rule whose condition matches. */
  long furtherOfUsage(TableBlock usage, int row) {
    long rules = 0;
    for (int i = 0; i < further.size(); i++) {
      rules |= further.get(i).usage.holds(usage, row) ? 1L << i : 0;
    }
    return rules;
  }

  long furtherOfEvent(TableBlock events, int row) {
    long rules = 0;
    for (int i = 0; i < further.size(); i++) {
      rules |= further.get(i).event.holds(events, row) ? 1L << i : 0;
    }
    return rules;
  }
}
