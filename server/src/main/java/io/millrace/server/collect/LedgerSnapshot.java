package io.millrace.server.collect;

import io.millrace.wire.block.Frontier;
import java.util.List;

/**
 * A collector's counts at one moment. Immutable.
 *
 * @param exporters every exporter, in order of first appearance
 * @param confirmed position up to which the log has confirmed this collector's batches
 * @param kernelDrops datagrams dropped by the kernel at the sockets, over all restarts
 * @param kernelDropsOpen those without a matching gap so far
 */
public record LedgerSnapshot(
    List<ExporterStats> exporters, Frontier confirmed, long kernelDrops, long kernelDropsOpen) {

  /** Copies the list. */
  public LedgerSnapshot {
    exporters = List.copyOf(exporters);
  }
}
