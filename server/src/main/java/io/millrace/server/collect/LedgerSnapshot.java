package io.millrace.server.collect;

import io.millrace.wire.block.Frontier;
import java.util.List;

/**
 * Counters of a collector at one moment. Immutable.
 *
 * @param exporters all exporters, in order of first appearance
 * @param confirmed log positions up to which this collector's batches are confirmed
 * @param kernelDrops datagrams dropped by the kernel at the sockets, over all restarts
 * @param kernelDropsOpen kernel drops without a matching gap so far
 */
public record LedgerSnapshot(
    List<ExporterStats> exporters, Frontier confirmed, long kernelDrops, long kernelDropsOpen) {

  /** Copies the list. */
  public LedgerSnapshot {
    exporters = List.copyOf(exporters);
  }
}
