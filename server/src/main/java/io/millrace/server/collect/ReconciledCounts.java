package io.millrace.server.collect;

import io.millrace.server.collect.JobCounts.Count;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reconciles the job's counters with the collector's keys.
 *
 * <p>Collector and job each count at most N exporters individually, and the rest as "others". They
 * choose independently, so an exporter may be individual in one and part of "others" in the other.
 * The job cannot have read more datagrams of an exporter than were logged. So if an exporter has a
 * surplus, it is moved to "others", and a surplus of "others" is moved to exporters with a deficit.
 * Totals per sender and overall do not change. A key that the collector does not have, and whose
 * sender has no "others", belongs to another collector and is ignored. Linear in the number of
 * keys.
 */
final class ReconciledCounts {
  private final Map<ExporterKey, ExporterStats> stats = new LinkedHashMap<>();
  private final Map<ExporterKey, Count> counts = new HashMap<>();

  private ReconciledCounts() {}

  static Map<ExporterKey, Count> of(
      List<ExporterStats> collected, Map<ExporterKey, Count> counted) {
    ReconciledCounts reconciled = new ReconciledCounts();
    collected.forEach(one -> reconciled.stats.put(one.key(), one));
    reconciled.reconcile(counted);
    return reconciled.counts;
  }

  private void reconcile(Map<ExporterKey, Count> counted) {
    // Counters of keys that the collector does not have, by the sender's key of "others".
    Map<ExporterKey, Count> surplus = new HashMap<>();
    counted.forEach(
        (key, count) -> {
          if (stats.containsKey(key) && !key.isOthers()) {
            counts.put(key, count);
          } else if (key.isOthers()
              || stats.containsKey(key.others())
              || stats.containsKey(ExporterKey.OTHERS)) {
            surplus.merge(key.others(), count, Count::plus);
          }
        });
    Map<ExporterKey, List<ExporterKey>> keysBySender = new LinkedHashMap<>();
    for (ExporterKey key : stats.keySet()) {
      if (!key.equals(ExporterKey.OTHERS)) {
        List<ExporterKey> keys = keysBySender.computeIfAbsent(key.others(), k -> new ArrayList<>());
        if (!key.isOthers()) {
          keys.add(key);
        }
      }
    }
    Count surplusOfAll = surplus.getOrDefault(ExporterKey.OTHERS, Count.ZERO);
    for (Map.Entry<ExporterKey, List<ExporterKey>> sender : keysBySender.entrySet()) {
      ExporterKey others = sender.getKey();
      Count rest = surplus.remove(others);
      rest = settle(others, sender.getValue(), rest == null ? Count.ZERO : rest);
      surplusOfAll = surplusOfAll.plus(rest);
    }
    surplus.remove(ExporterKey.OTHERS);
    for (Count count : surplus.values()) {
      surplusOfAll = surplusOfAll.plus(count);
    }
    settle(ExporterKey.OTHERS, List.copyOf(stats.keySet()), surplusOfAll);
  }

  /**
   * Moves datagrams between keys and "others".
   *
   * @return counters left for the "others" of all senders
   */
  private Count settle(ExporterKey others, List<ExporterKey> keys, Count counted) {
    boolean hasOthers = stats.containsKey(others);
    Count surplus = counted;
    if (hasOthers || stats.containsKey(ExporterKey.OTHERS)) {
      for (ExporterKey key : keys) {
        long excess = -deficit(key);
        if (excess > 0 && !key.equals(others)) {
          Count count = counts.get(key);
          surplus = surplus.plus(count.firstDatagrams(excess));
          counts.put(key, count.withoutFirstDatagrams(excess));
        }
      }
    }
    long available = surplus.datagrams() - (hasOthers ? expected(others) : 0);
    for (ExporterKey key : keys) {
      long deficit = Math.min(available, deficit(key));
      if (deficit > 0 && !key.equals(others)) {
        counts.merge(key, surplus.firstDatagrams(deficit), Count::plus);
        surplus = surplus.withoutFirstDatagrams(deficit);
        available -= deficit;
      }
    }
    if (!hasOthers) {
      return surplus;
    }
    boolean isLast = others.equals(ExporterKey.OTHERS) || !stats.containsKey(ExporterKey.OTHERS);
    long passedOn = isLast ? 0 : Math.max(0, available);
    Count own = surplus.withoutFirstDatagrams(passedOn);
    counts.put(others, own);
    return surplus.firstDatagrams(passedOn);
  }

  private long deficit(ExporterKey key) {
    Count count = counts.getOrDefault(key, Count.ZERO);
    ExporterStats logged = stats.get(key);
    long expected = logged.inFlight() + logged.logged();
    long missing = expected - count.datagrams();
    // Batches that timed out may be in the log.
    return missing < 0 ? Math.min(0, missing + logged.failed()) : missing;
  }

  private long expected(ExporterKey key) {
    ExporterStats logged = stats.get(key);
    return logged.inFlight() + logged.logged() + logged.failed();
  }
}
