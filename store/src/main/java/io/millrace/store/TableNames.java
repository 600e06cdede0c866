package io.millrace.store;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Valid names of tables. */
public final class TableNames {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,39}");
  private static final Pattern OF_REPLAY =
      Pattern.compile("(replay_[0-9]{8}_[0-9]{6}_[0-9]{3})(_(.*))?");
  private static final Set<String> RESERVED =
      Set.of(
          "netdata",
          "akvorado_flows",
          "names",
          "frontiers",
          "about",
          "tallies",
          "tickets",
          "exporters",
          "rejected_rows");

  private static final Pattern ROLLUP = Pattern.compile(".*_(minute|five|hour)_.*");

  private TableNames() {}

  /** Why a name is invalid for a table of flows; empty if it is valid. */
  public static Optional<String> whyNotFlows(String name) {
    if (!NAME.matcher(name).matches()) {
      return Optional.of(
          "expected lower-case letters, digits and underscores, a letter first, at most 40");
    }
    if (name.contains("__")) {
      return Optional.of("two consecutive underscores are reserved");
    }
    if (RESERVED.contains(name)
        || name.endsWith("_committed")
        || (name.startsWith(Store.FLOWS) && ROLLUP.matcher(name).matches())) {
      return Optional.of("the name is reserved");
    }
    return Optional.empty();
  }

  /** Name of the table that a replay writes in place of a table of results. */
  public static String ofReplay(String replay, String results) {
    return replay + "_" + results;
  }

  /** Name of the replay that wrote a table; empty if none did. */
  public static Optional<String> replayOf(String table) {
    Matcher replayed = OF_REPLAY.matcher(table);
    return replayed.matches() ? Optional.of(replayed.group(1)) : Optional.empty();
  }

  /**
   * Why a name is invalid for a table of results; empty if it is valid. {@link #ofReplay} names
   * those of replays, which plugins cannot use.
   */
  public static Optional<String> whyNotResults(String name) {
    Matcher replayed = OF_REPLAY.matcher(name);
    return replayed.matches() && replayed.group(3) != null
        ? whyNotOwnResults(replayed.group(3))
        : whyNotOwnResults(name);
  }

  /** Why a name is invalid for a plugin; empty if it is valid. */
  public static Optional<String> whyNotOwnResults(String name) {
    if (name.equals(Store.FLOWS) || name.startsWith("replay_")) {
      return Optional.of("the name is reserved for tables of flows");
    }
    return whyNotFlows(name);
  }
}
