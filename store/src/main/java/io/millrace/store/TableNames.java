package io.millrace.store;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which names tables may have. */
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
          "refused_rows");

  /** The views of rollups. */
  private static final Pattern ROLLUP = Pattern.compile(".*_(minute|five|hour)_.*");

  private TableNames() {}

  /** Why a table of flows cannot have a name; empty if it can. */
  public static Optional<String> whyNotFlows(String name) {
    if (!NAME.matcher(name).matches()) {
      return Optional.of("lower-case letters, digits and underscores, a letter first, at most 40");
    }
    if (name.contains("__")) {
      return Optional.of("it has two underscores in a row, which Millrace keeps for itself");
    }
    if (RESERVED.contains(name)
        || name.endsWith("_committed")
        || (name.startsWith(Store.FLOWS) && ROLLUP.matcher(name).matches())) {
      return Optional.of("Millrace has a table of its own of that name");
    }
    return Optional.empty();
  }

  /** Name of the table that a replay fills in place of a table of results. */
  public static String ofReplay(String replay, String results) {
    return replay + "_" + results;
  }

  /** Name of the replay that fills or has filled a table; empty if none has. */
  public static Optional<String> replayOf(String table) {
    Matcher replayed = OF_REPLAY.matcher(table);
    return replayed.matches() ? Optional.of(replayed.group(1)) : Optional.empty();
  }

  /**
   * Why a table of results cannot have a name; empty if it can. Those of replays have that of
   * {@link #ofReplay}, which no plugin can have.
   */
  public static Optional<String> whyNotResults(String name) {
    Matcher replayed = OF_REPLAY.matcher(name);
    return replayed.matches() && replayed.group(3) != null
        ? whyNotOwnResults(replayed.group(3))
        : whyNotOwnResults(name);
  }

  /** Why a plugin cannot have a name; empty if it can. */
  public static Optional<String> whyNotOwnResults(String name) {
    if (name.equals(Store.FLOWS) || name.startsWith("replay_")) {
      return Optional.of("tables of flows are called so");
    }
    return whyNotFlows(name);
  }
}
