package io.millrace.server.collect;

import io.millrace.wire.block.Frontier;
import java.util.List;

/**
 * A collector's counts at one moment. Immutable.
 *
 * @param exporters every exporter, in the order in which they were first seen
 * @param confirmed how far the log has confirmed our batches
 * @param kernelDrops datagrams that the kernel says it dropped at our sockets, over all restarts
 * @param kernelDropsOpen how many of them no gap has shown yet
 */
public record LedgerSnapshot(
    List<ExporterStats> exporters, Frontier confirmed, long kernelDrops, long kernelDropsOpen) {

  /** Copies the list. */
  public LedgerSnapshot {
    exporters = List.copyOf(exporters);
  }
}
