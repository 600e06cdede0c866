package io.millrace.server.collect;

import java.util.Arrays;

/**
 * How many datagrams of which exporter a batch holds, so that the batch's fate can be put down to
 * them without keeping its bytes. Filled and read by the ledger's owner alone.
 */
final class BatchCounters {
  private Exporter[] exporters = new Exporter[8];
  private int[] counts = new int[8];
  private int size;
  private BatchId id = BatchId.NONE;

  /**
   * Tells one batch from another across a restart.
   *
   * @param firstMicros arrival of its first datagram
   * @param datagrams how many it holds
   * @param length its length in bytes
   */
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

  /** The exporter may be in several open batches, and its slot that of another. */
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

  /** The batch is complete. */
  void finish(BatchId batch) {
    id = batch;
  }

  BatchId id() {
    return id;
  }

  /** What happened to a number of an exporter's datagrams. */
  interface Fate {
    void apply(Exporter exporter, int datagrams);
  }

  void settle(Fate fate) {
    for (int i = 0; i < size; i++) {
      fate.apply(exporters[i], counts[i]);
    }
  }
}
