package io.millrace.server.collect;

import io.millrace.wire.block.LedgerQuota;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Exporters of a ledger: individual ones, up to a quota, and merged ones, which are the others of
 * each sender and the others of all senders. Owned by {@link CollectorLedger}; not thread-safe.
 *
 * <p>At the limit, a new exporter is merged. {@link #makeRoom} merges idle exporters with their
 * counts, so sums do not change.
 */
final class ExporterSet {
  /** Minimum idle time of an exporter that is merged. */
  private static final long IDLE_MICROS = 30_000_000;

  private final LedgerQuota quota;

  /** In order of first appearance, including merged ones. */
  private final Map<ExporterKey, Exporter> exporters = new LinkedHashMap<>();

  /** Number of exporters of each sender, by the key of its others. */
  private final Map<ExporterKey, Integer> ofSender = new HashMap<>();

  private int ofAll;

  ExporterSet(LedgerQuota quota) {
    this.quota = quota;
  }

  Collection<Exporter> all() {
    return exporters.values();
  }

  Exporter of(ExporterKey key) {
    Exporter exporter = exporters.get(key);
    if (exporter != null) {
      return exporter;
    }
    ExporterKey others = key.others();
    int mine = ofSender.getOrDefault(others, 0);
    boolean isKnown = isKnown(others) && mine < quota.perSender();
    if (isKnown || quota.hasRoom(mine, ofAll)) {
      exporter = new Exporter(key);
      add(exporter);
      return exporter;
    }
    return exporters.computeIfAbsent(mine > 0 ? others : ExporterKey.OTHERS, Exporter::new);
  }

  void add(Exporter exporter) {
    exporters.put(exporter.key, exporter);
    if (!exporter.key.isOthers()) {
      ofSender.merge(exporter.key.others(), 1, Integer::sum);
      ofAll++;
    }
  }

  Exporter holder(ExporterKey key) {
    for (ExporterKey at : List.of(key, key.others(), ExporterKey.OTHERS)) {
      Exporter exporter = exporters.get(at);
      if (exporter != null && exporter.inFlight() > 0) {
        return exporter;
      }
    }
    return of(key);
  }

  /** Merges exporters that are idle for too long; at the limit, sooner. */
  boolean makeRoom(long nowMicros) {
    List<Exporter> silent = new ArrayList<>();
    for (Exporter exporter : exporters.values()) {
      if (!exporter.key.isOthers() && nowMicros - exporter.lastSeenMicros() > IDLE_MICROS) {
        silent.add(exporter);
      }
    }
    silent.sort(Comparator.comparingLong(Exporter::lastSeenMicros));
    boolean isChanged = false;
    for (Exporter exporter : silent) {
      ExporterKey others = exporter.key.others();
      long last = exporter.lastSeenMicros();
      boolean isOld = nowMicros - last > quota.keepMicros();
      boolean stays =
          isKnown(others) || LedgerQuota.isLongSeen(exporter.firstSeenMicros(), last, nowMicros);
      if (isOld || (isCrowded(others) && !stays)) {
        fold(exporter, others);
        isChanged = true;
      }
    }
    return isChanged;
  }

  private boolean isKnown(ExporterKey key) {
    return quota.isKnown(key.senderHigh(), key.senderLow());
  }

  private boolean isCrowded(ExporterKey others) {
    int spare = quota.perSender() / 8;
    return ofSender.getOrDefault(others, 0) >= quota.perSender() - spare
        || ofAll >= quota.max() - quota.inAll() / 8;
  }

  private void fold(Exporter exporter, ExporterKey others) {
    exporters.remove(exporter.key);
    ofAll--;
    int left = ofSender.merge(others, -1, Integer::sum);
    ExporterKey to = left > 0 ? others : ExporterKey.OTHERS;
    exporters.computeIfAbsent(to, Exporter::new).take(exporter);
    if (left == 0) {
      ofSender.remove(others);
      Exporter rest = exporters.remove(others);
      if (rest != null) {
        exporters.get(to).take(rest);
      }
    }
  }
}
