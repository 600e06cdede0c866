package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;

/**
 * How many different things there were, in half a kibibyte: HyperLogLog of Flajolet, Fusy, Gandouet
 * and Meunier (Analysis of Algorithms, 2007). Of each hash the first bits choose a register, which
 * keeps the greatest place of the first one among the others.
 *
 * <p><b>Bound</b>: the relative standard error is 1.04 / √512, 4.6%; of few things, where registers
 * are still empty, the paper's linear counting is better than that. The hashes have 64 bits, so
 * that it needs no correction for large numbers. Not thread-safe.
 */
public final class DistinctCount {
  private static final int LG_REGISTERS = 9;
  private static final int REGISTERS = 1 << LG_REGISTERS;
  private static final int MOST = Long.SIZE - LG_REGISTERS + 1;

  /** A register by itself takes three bytes, and all of them one each. */
  private static final int MOST_SINGLE = REGISTERS / 3;

  private static final double BIAS = 0.7213 / (1 + 1.079 / REGISTERS);
  private static final double LINEAR = 2.5 * REGISTERS;

  private final byte[] registers = new byte[REGISTERS];

  /** Of nothing. */
  public DistinctCount() {}

  /** Counts a thing by its hash, of which all 64 bits are as good as random. */
  public void add(long hash) {
    int register = (int) (hash >>> (Long.SIZE - LG_REGISTERS));
    byte place = (byte) (Math.min(MOST - 1, Long.numberOfLeadingZeros(hash << LG_REGISTERS)) + 1);
    if (place > registers[register]) {
      registers[register] = place;
    }
  }

  /** Adds what another one has counted by the same hashes. */
  public void merge(DistinctCount other) {
    for (int i = 0; i < REGISTERS; i++) {
      registers[i] = (byte) Math.max(registers[i], other.registers[i]);
    }
  }

  /** How many there were, about. */
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

  /** Appends it: those registers that are not empty, or all of them. */
  public void write(BlockBuffer out) {
    int used = 0;
    for (byte place : registers) {
      used += place == 0 ? 0 : 1;
    }
    boolean isSingle = used <= MOST_SINGLE;
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
   * Takes what {@link #write} wrote; this one is empty before.
   *
   * @throws io.millrace.wire.block.BlockFormatException if it is nothing of that kind
   */
  public void read(BlockInput in) {
    int used = in.takeShort();
    if (used > REGISTERS) {
      throw in.broken(used + " registers of a distinct count");
    }
    for (int i = 0; i < used; i++) {
      int register = used == REGISTERS ? i : in.takeShort();
      int place = in.takeByte();
      if (register >= REGISTERS || place > MOST) {
        throw in.broken("register " + register + " of a distinct count is " + place);
      }
      registers[register] = (byte) place;
    }
  }
}
