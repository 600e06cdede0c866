package io.millrace.wire.netflow;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.function.LongConsumer;

/** Sampling rates by sampler id: lookups allocate nothing. Never shrinks. */
final class SamplerTable {
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  // shared by sessions without samplers, which are most; never written to, since the first sampler
  // makes them grow
  private static final long[] NO_IDS = new long[1];
  private static final int[] NO_RATES = new int[1];

  private long[] ids = NO_IDS;
  private int[] rates = NO_RATES; // 0: free
  private int size;

  private static final int SEVERAL = -1;

  private int only; // the common rate; SEVERAL if they differ
  private boolean isOnlyKnown = true;

  int size() {
    return size;
  }

  int rate(long id) {
    return rates[slot(id)];
  }

  /** The common rate of all samplers; negative if they differ, 0 if there is none. */
  int only() {
    if (!isOnlyKnown) {
      only = 0;
      for (int rate : rates) {
        if (rate != 0 && rate != only) {
          only = only == 0 ? rate : SEVERAL;
        }
      }
      isOnlyKnown = true;
    }
    return only;
  }

  void put(long id, int rate) {
    int slot = slot(id);
    isOnlyKnown &= rates[slot] == rate;
    if (rates[slot] == 0) {
      if (2 * ++size > ids.length) {
        grow();
        slot = slot(id);
      }
    }
    ids[slot] = id;
    rates[slot] = rate;
  }

  void forEachId(LongConsumer each) {
    for (int i = 0; i < ids.length; i++) {
      if (rates[i] != 0) {
        each.accept(ids[i]);
      }
    }
  }

  private int slot(long id) {
    int mask = ids.length - 1;
    int slot = (int) ((id * GOLDEN) >>> 40) & mask;
    while (rates[slot] != 0 && ids[slot] != id) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    long[] oldIds = ids;
    int[] oldRates = rates;
    ids = new long[2 * oldIds.length];
    rates = new int[2 * oldIds.length];
    for (int i = 0; i < oldIds.length; i++) {
      if (oldRates[i] != 0) {
        int slot = slot(oldIds[i]);
        ids[slot] = oldIds[i];
        rates[slot] = oldRates[i];
      }
    }
  }

  void write(BlockBuffer out) {
    out.putInt(size);
    for (int i = 0; i < ids.length; i++) {
      if (rates[i] != 0) {
        out.putLong(ids[i]);
        out.putInt(rates[i]);
      }
    }
  }

  void read(BlockInput in, int max) {
    int samplers = in.takeInt();
    if (samplers < 0 || samplers > in.remaining() / 12) {
      throw in.broken(samplers + " samplers");
    }
    for (; samplers > 0; samplers--) {
      long id = in.takeLong();
      int rate = in.takeInt();
      if (rate < 1 && rate != Sampling.IMPOSSIBLE) {
        throw in.broken("sampling rate " + rate);
      }
      if (rate > 0 && (size < max || rate(id) != 0)) { // earlier releases kept impossible rates
        put(id, rate);
      }
    }
  }
}
