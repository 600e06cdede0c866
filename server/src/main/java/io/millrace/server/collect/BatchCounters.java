package io.millrace.server.collect;

import java.util.Arrays;

/**
 * Number of datagrams in a batch by exporter. It is kept when the batch itself is released, to
 * count the outcome of the batch. Used only by the owner of the ledger.
 */
final class BatchCounters {
  private Exporter[] exporters = new Exporter[8];
  private int[] counts = new int[8];
  private int size;
  private BatchId id = BatchId.NONE;

  /** Identifies a batch across restarts. */
  record BatchId(long firstMicros, int datagrams, int length) {
    static final BatchId NONE = new BatchId(0, 0, 0);
  }

  void add(Exporter exporter) {
    int slot = exporter.counterSlot;
    if (slot < 0 || slot >= size || exporters[slot] != exporter) {
      slot = slotOf(exporter);
    }
    counts[slot]++;
  }

  private int slotOf(Exporter exporter) {
    int slot = size - 1;
    while (slot >= 0 && exporters[slot] != exporter) {
      slot--;
    }
    if (slot < 0) {
      if (size == exporters.length) {
        exporters = Arrays.copyOf(exporters, 2 * size);
        counts = Arrays.copyOf(counts, 2 * size);
      }
      slot = size++;
      exporters[slot] = exporter;
    }
    exporter.counterSlot = slot;
    return slot;
  }

  void finish(BatchId batch) {
    id = batch;
  }

  BatchId id() {
    return id;
  }

  interface Fate {
    void apply(Exporter exporter, int datagrams);
  }

  void settle(Fate fate) {
    for (int i = 0; i < size; i++) {
      fate.apply(exporters[i], counts[i]);
    }
  }
}
