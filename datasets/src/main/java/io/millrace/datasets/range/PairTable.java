package io.millrace.datasets.range;

import io.millrace.datasets.Lookup;
import io.millrace.wire.block.KeyHash;
import java.util.Arrays;

/**
 * Records by a pair of an address and a number (interfaces of devices, ports of protocols). Open
 * addressing in flat arrays; thread-safe once built.
 */
public final class PairTable extends RecordTable {
  private static final int PAIR_BYTES = 2 * Long.BYTES + 2 * Integer.BYTES;

  private long[] high = new long[1 << 6];
  private long[] low = new long[1 << 6];
  private int[] numbers = new int[1 << 6];
  private int[] found = new int[1 << 6]; // record + 1, or 0
  private int pairs;
  private long fingerprint;

  PairTable(String name, Records records) {
    super(name, records);
  }

  boolean add(long addressHigh, long addressLow, int number, int record) {
    if (pairs * 2 >= found.length) {
      grow();
    }
    int slot = slot(addressHigh, addressLow, number);
    if (found[slot] != 0) {
      return false;
    }
    put(slot, addressHigh, addressLow, number, record + 1);
    pairs++;
    return true;
  }

  int find(long addressHigh, long addressLow, int number) {
    return found[slot(addressHigh, addressLow, number)] - 1;
  }

  void built(long identity) {
    fingerprint = identity;
  }

  @Override
  public int entries() {
    return pairs;
  }

  private void put(int slot, long addressHigh, long addressLow, int number, int its) {
    high[slot] = addressHigh;
    low[slot] = addressLow;
    numbers[slot] = number;
    found[slot] = its;
  }

  private void grow() {
    long[] oldHigh = high;
    long[] oldLow = low;
    int[] oldNumbers = numbers;
    int[] oldFound = found;
    int slots = Math.multiplyExact(oldFound.length, 2);
    high = new long[slots];
    low = new long[slots];
    numbers = new int[slots];
    found = new int[slots];
    for (int i = 0; i < oldFound.length; i++) {
      if (oldFound[i] != 0) {
        int slot = slot(oldHigh[i], oldLow[i], oldNumbers[i]);
        put(slot, oldHigh[i], oldLow[i], oldNumbers[i], oldFound[i]);
      }
    }
  }

  private int slot(long addressHigh, long addressLow, int number) {
    int mask = found.length - 1;
    int i = (int) KeyHash.with(KeyHash.of(addressHigh, addressLow), number) & mask;
    while (found[i] != 0
        && (low[i] != addressLow || numbers[i] != number || high[i] != addressHigh)) {
      i = (i + 1) & mask;
    }
    return i;
  }

  @Override
  public long fingerprint() {
    return fingerprint;
  }

  @Override
  public long heapBytes() {
    return super.heapBytes() + indexBytes();
  }

  long indexBytes() {
    return (long) found.length * PAIR_BYTES;
  }

  @Override
  public Lookup newLookup() {
    return new PairLookup();
  }

  private final class PairLookup extends RecordLookup {
    /** Always {@link #UNKNOWN}, since a lookup needs a pair. */
    @Override
    public void lookup(long[] addressHigh, long[] addressLow, int rows, int[] out) {
      Arrays.fill(out, 0, rows, UNKNOWN);
    }

    @Override
    public void lookup(long[] addressHigh, long[] addressLow, int[] number, int rows, int[] out) {
      for (int i = 0; i < rows; i++) {
        out[i] = number[i] == UNKNOWN ? UNKNOWN : find(addressHigh[i], addressLow[i], number[i]);
      }
    }
  }
}
