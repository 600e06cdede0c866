package io.millrace.traffic;

import io.millrace.traffic.model.SplitMix;
import java.util.Arrays;

/**
 * Exact counts of datagrams, for tests and benchmarks that compare them with SQL. Counts by pair of
 * networks are kept in an open hash table of primitives. Not thread-safe.
 */
public final class TruthCounter {
  private final DatagramSource source;
  private final long[] datagramsByExporter;
  private final long[] samplesByExporter;
  private final long[] bytesByExporter;
  private long[] pairs = new long[1024]; // src << 32 | dst, plus 1 so that 0 is free
  private long[] pairSamples = new long[1024];
  private long[] pairBytes = new long[1024];
  private int pairCount;
  private long datagrams;
  private long samples;
  private long bytes;

  /** Traffic between two networks. */
  public record Pair(long srcAs, long dstAs, long samples, long bytes) {}

  /** Creates a counter for the datagrams of a source. */
  public TruthCounter(DatagramSource source) {
    this.source = source;
    datagramsByExporter = new long[source.exporters()];
    samplesByExporter = new long[source.exporters()];
    bytesByExporter = new long[source.exporters()];
  }

  /** Counts a datagram, once it has been sent. */
  public void add(ExportDatagram datagram) {
    int first = datagram.firstSample;
    int end = first + datagram.samples;
    int[] src = datagram.truth.srcNetwork;
    int[] dst = datagram.truth.dstNetwork;
    int[] lengths = datagram.truth.ipLength;
    long sum = 0;
    for (int i = first; i < end; i++) {
      int length = lengths[i];
      sum += length;
      int slot = slot(((long) src[i] << 32 | dst[i]) + 1);
      pairSamples[slot]++;
      pairBytes[slot] += length;
    }
    datagrams++;
    samples += datagram.samples;
    bytes += sum;
    datagramsByExporter[datagram.exporter]++;
    samplesByExporter[datagram.exporter] += datagram.samples;
    bytesByExporter[datagram.exporter] += sum;
  }

  private int slot(long key) {
    int mask = pairs.length - 1;
    int slot = (int) SplitMix.mix(key) & mask;
    while (pairs[slot] != key) {
      if (pairs[slot] == 0) {
        if (pairCount * 2 > mask) {
          grow();
          return slot(key);
        }
        pairs[slot] = key;
        pairCount++;
        return slot;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    long[] oldPairs = pairs;
    long[] oldSamples = pairSamples;
    long[] oldBytes = pairBytes;
    pairs = new long[oldPairs.length * 2];
    pairSamples = new long[pairs.length];
    pairBytes = new long[pairs.length];
    pairCount = 0;
    for (int i = 0; i < oldPairs.length; i++) {
      if (oldPairs[i] != 0) {
        int slot = slot(oldPairs[i]);
        pairSamples[slot] = oldSamples[i];
        pairBytes[slot] = oldBytes[i];
      }
    }
  }

  /** Datagrams counted. */
  public long datagrams() {
    return datagrams;
  }

  /** Flow samples: the rows that must be in the flows table. */
  public long samples() {
    return samples;
  }

  /** Sum of the samples' IP lengths: the sum of the flows table's {@code bytes}. */
  public long bytes() {
    return bytes;
  }

  /** Datagrams of an exporter, which is also its last sequence number. */
  long datagrams(int exporter) {
    return datagramsByExporter[exporter];
  }

  long samples(int exporter) {
    return samplesByExporter[exporter];
  }

  long bytes(int exporter) {
    return bytesByExporter[exporter];
  }

  /**
   * All pairs of AS numbers with traffic, by descending samples, then by source and destination.
   */
  public Pair[] pairs() {
    Pair[] all = new Pair[pairCount];
    int n = 0;
    for (int i = 0; i < pairs.length; i++) {
      if (pairs[i] != 0) {
        long key = pairs[i] - 1;
        all[n++] =
            new Pair(
                source.asNumber((int) (key >>> 32)),
                source.asNumber((int) key),
                pairSamples[i],
                pairBytes[i]);
      }
    }
    Arrays.sort(
        all,
        java.util.Comparator.comparingLong(Pair::samples)
            .reversed()
            .thenComparingLong(Pair::srcAs)
            .thenComparingLong(Pair::dstAs));
    return all;
  }
}
