package io.millrace.server.collect;

import io.millrace.server.collect.JobCounts.Count;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reconciles the job's counts with the collector's keys.
 *
 * <p>Collector and job each count at most N exporters individually and the rest as "others". They
 * choose independently, so an exporter may be individual in one and part of "others" in the other.
 * The job cannot have read more datagrams of an exporter than were logged. So a surplus of an
 * exporter is moved to "others", and a surplus of "others" to exporters with a deficit. Totals per
 * sender and overall are preserved. A key that the collector does not have, and whose sender has no
 * "others", belongs to another collector and is ignored. Linear in the number of keys.
 */
final class PairedCounts {
  private final Map<ExporterKey, ExporterStats> stats = new LinkedHashMap<>();
  private final Map<ExporterKey, Count> counts = new HashMap<>();

  private PairedCounts() {}

  static Map<ExporterKey, Count> of(List<ExporterStats> before, Map<ExporterKey, Count> counted) {
    PairedCounts paired = new PairedCounts();
    before.forEach(one -> paired.stats.put(one.key(), one));
    paired.pair(counted);
    return paired.counts;
  }

  private void pair(Map<ExporterKey, Count> counted) {
    // Counts of keys that the collector does not have, by the sender's key for others.
    Map<ExporterKey, Count> spare = new HashMap<>();
    counted.forEach(
        (key, count) -> {
          if (stats.containsKey(key) && !key.isOthers()) {
            counts.put(key, count);
          } else if (key.isOthers()
              || stats.containsKey(key.others())
              || stats.containsKey(ExporterKey.OTHERS)) {
            spare.merge(key.others(), count, Count::plus);
          }
        });
    Map<ExporterKey, List<ExporterKey>> ofSender = new LinkedHashMap<>();
    for (ExporterKey key : stats.keySet()) {
      if (!key.equals(ExporterKey.OTHERS)) {
        List<ExporterKey> keys = ofSender.computeIfAbsent(key.others(), k -> new ArrayList<>());
        if (!key.isOthers()) {
          keys.add(key);
        }
      }
    }
    Count ofAll = spare.getOrDefault(ExporterKey.OTHERS, Count.ZERO);
    for (Map.Entry<ExporterKey, List<ExporterKey>> sender : ofSender.entrySet()) {
      ExporterKey others = sender.getKey();
      Count left = spare.remove(others);
      left = settle(others, sender.getValue(), left == null ? Count.ZERO : left);
      ofAll = ofAll.plus(left);
    }
    spare.remove(ExporterKey.OTHERS);
    for (Count count : spare.values()) {
      ofAll = ofAll.plus(count);
    }
    settle(ExporterKey.OTHERS, List.copyOf(stats.keySet()), ofAll);
  }

  private Count settle(ExporterKey others, List<ExporterKey> keys, Count counted) {
    boolean isKept = stats.containsKey(others);
    Count spare = counted;
    if (isKept || stats.containsKey(ExporterKey.OTHERS)) {
      for (ExporterKey key : keys) {
        long more = -lacks(key);
        if (more > 0 && !key.equals(others)) {
          Count count = counts.get(key);
          spare = spare.plus(count.firstDatagrams(more));
          counts.put(key, count.withoutFirstDatagrams(more));
        }
      }
    }
    long beyond = spare.datagrams() - (isKept ? expected(others) : 0);
    for (ExporterKey key : keys) {
      long lacks = Math.min(beyond, lacks(key));
      if (lacks > 0 && !key.equals(others)) {
        counts.merge(key, spare.firstDatagrams(lacks), Count::plus);
        spare = spare.withoutFirstDatagrams(lacks);
        beyond -= lacks;
      }
    }
    if (!isKept) {
      return spare;
    }
    boolean isLast = others.equals(ExporterKey.OTHERS) || !stats.containsKey(ExporterKey.OTHERS);
    long goesOn = isLast ? 0 : Math.max(0, beyond);
    Count own = spare.withoutFirstDatagrams(goesOn);
    counts.put(others, own);
    return spare.firstDatagrams(goesOn);
  }

  private long lacks(ExporterKey key) {
    Count count = counts.getOrDefault(key, Count.ZERO);
    ExporterStats logged = stats.get(key);
    long expected = logged.inFlight() + logged.logged();
    long missing = expected - count.datagrams();
    // Batches that the log writer timed out on may be in the log.
    return missing < 0 ? Math.min(0, missing + logged.failed()) : missing;
  }

  private long expected(ExporterKey key) {
    ExporterStats logged = stats.get(key);
    return logged.inFlight() + logged.logged() + logged.failed();
  }
}
