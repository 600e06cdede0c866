package io.millrace.traffic.model;

import io.millrace.wire.block.Addresses;

/**
 * A range of addresses of one network, both ends inclusive and of one family; halves of addresses
 * as in {@link Addresses}.
 *
 * @param firstHigh upper half of the first address
 * @param firstLow lower half of the first address
 * @param lastHigh upper half of the last address
 * @param lastLow lower half of the last address
 * @param asNumber number of the autonomous system, unsigned 32 bits
 * @param name name of the network's operator
 */
public record NetworkRange(
    long firstHigh, long firstLow, long lastHigh, long lastLow, long asNumber, String name) {
  public NetworkRange {
    if (Addresses.isV4(firstHigh, firstLow) != Addresses.isV4(lastHigh, lastLow)) {
      throw new IllegalArgumentException("start and end address are of different families");
    }
    if (compare(firstHigh, firstLow, lastHigh, lastLow) > 0) {
      throw new IllegalArgumentException("start address is greater than end address");
    }
  }

  /** Whether the addresses are IPv6. */
  public boolean isV6() {
    return !Addresses.isV4(firstHigh, firstLow);
  }

  /** Whether the address lies in the range. */
  public boolean contains(long high, long low) {
    return compare(firstHigh, firstLow, high, low) <= 0
        && compare(high, low, lastHigh, lastLow) <= 0;
  }

  /** Order of two addresses as unsigned 128-bit numbers. */
  public static int compare(long highA, long lowA, long highB, long lowB) {
    int byHigh = Long.compareUnsigned(highA, highB);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(lowA, lowB);
  }
}
