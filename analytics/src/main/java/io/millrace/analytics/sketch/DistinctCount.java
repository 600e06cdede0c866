package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;

/**
 * Estimate of a number of distinct items in 512 bytes: HyperLogLog of Flajolet, Fusy, Gandouet and
 * Meunier (Analysis of Algorithms, 2007). The first bits of a hash choose a register, which keeps
 * the maximum position of the first 1 among the others.
 *
 * <p><b>Bound</b>: the relative standard error is 1.04 / √512, 4.6%; for few items, while registers
 * are empty, the paper's linear counting is better. Hashes of 64 bits need no correction for large
 * numbers. Not thread-safe.
 */
public final class DistinctCount {
  private static final int LG_REGISTERS = 9;
  private static final int REGISTERS = 1 << LG_REGISTERS;
  private static final int MAX = Long.SIZE - LG_REGISTERS + 1;

  /** A sparse register takes three bytes, a dense one takes one. */
  private static final int MAX_SINGLE = REGISTERS / 3;

  private static final double BIAS = 0.7213 / (1 + 1.079 / REGISTERS);
  private static final double LINEAR = 2.5 * REGISTERS;

  private final byte[] registers = new byte[REGISTERS];

  /** An empty count. */
  public DistinctCount() {}

  /** Counts an item by its hash of 64 uniform bits. */
  public void add(long hash) {
    int register = (int) (hash >>> (Long.SIZE - LG_REGISTERS));
    byte place = (byte) (Math.min(MAX - 1, Long.numberOfLeadingZeros(hash << LG_REGISTERS)) + 1);
    if (place > registers[register]) {
      registers[register] = place;
    }
  }

  /** Merges another count of the same hashes. */
  public void merge(DistinctCount other) {
    for (int i = 0; i < REGISTERS; i++) {
      registers[i] = (byte) Math.max(registers[i], other.registers[i]);
    }
  }

  /** Estimated number of distinct items. */
  public long estimate() {
    double sum = 0;
    int empty = 0;
    for (byte place : registers) {
      sum += 1.0 / (1L << place);
      empty += place == 0 ? 1 : 0;
    }
    double estimate = BIAS * REGISTERS * REGISTERS / sum;
    return Math.round(
        estimate <= LINEAR && empty > 0
            ? REGISTERS * Math.log((double) REGISTERS / empty)
            : estimate);
  }

  /** Appends the registers that are not empty, or all. */
  public void write(BlockBuffer out) {
    int used = 0;
    for (byte place : registers) {
      used += place == 0 ? 0 : 1;
    }
    boolean isSingle = used <= MAX_SINGLE;
    out.putShort(isSingle ? used : REGISTERS);
    if (!isSingle) {
      out.put(registers, 0, REGISTERS);
      return;
    }
    for (int i = 0; i < REGISTERS; i++) {
      if (registers[i] != 0) {
        out.putShort(i);
        out.putByte(registers[i]);
      }
    }
  }

  /**
   * Reads what {@link #write} wrote; this one must be empty.
   *
   * @throws io.millrace.wire.block.BlockFormatException if it is malformed
   */
  public void read(BlockInput in) {
    int used = in.takeShort();
    if (used > REGISTERS) {
      throw in.broken(used + " registers of a distinct count");
    }
    for (int i = 0; i < used; i++) {
      int register = used == REGISTERS ? i : in.takeShort();
      int place = in.takeByte();
      if (register >= REGISTERS || place > MAX) {
        throw in.broken("register " + register + " of a distinct count is " + place);
      }
      registers[register] = (byte) place;
    }
  }
}
