package io.millrace.lab.siege;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** All attacks by name, those by datagrams first. */
public final class Attacks {
  /** Name of all attacks at once. */
  public static final String ALL = "all";

  /** Name of random mixes of attacks. */
  public static final String MIX = "mix";

  private static final Map<String, Supplier<Attack>> LIST = new LinkedHashMap<>();

  static {
    LIST.put("agents", EndlessAgents::new);
    LIST.put("addresses", HostileAddresses::new);
    LIST.put("held", HeldData::new);
    LIST.put("templates", EndlessTemplates::new);
    LIST.put("sequences", SequenceJumps::new);
    LIST.put("blobs", BlobUploads::new);
    LIST.put("writers", ForeignWriters::new);
    LIST.put("sql", HostileQueries::new);
    LIST.put("bodies", LongBodies::new);
    LIST.put("queries", ManyQueries::new);
    LIST.put("sites", CrossSite::new);
    LIST.put("readers", SlowReaders::new);
    LIST.put("bombs", Bombs::new);
    LIST.put("takeover", Takeover::new);
    LIST.put("deaf", DeafSockets::new);
    LIST.put("partial", PartialFrames::new);
    LIST.put("sorted", SortedLoads::new);
    LIST.put("streams", StreamRecords::new);
    LIST.put("times", ImpossibleTimes::new);
    LIST.put("garbage", Garbage::new);
  }

  /** Names of the attacks, in the order of their phases. */
  public static final List<String> NAMES = List.copyOf(LIST.keySet());

  /** Valid values of the option: an attack, {@link #ALL} or {@link #MIX}. */
  public static final List<String> CASES = cases();

  private Attacks() {}

  private static List<String> cases() {
    List<String> cases = new ArrayList<>(NAMES);
    cases.add(ALL);
    cases.add(MIX);
    return List.copyOf(cases);
  }

  /** Creates an attack. */
  static Attack of(String name) {
    return LIST.get(name).get();
  }

  /** Position of an attack in the list, from 1. */
  static int number(String name) {
    return NAMES.indexOf(name) + 1;
  }
}
