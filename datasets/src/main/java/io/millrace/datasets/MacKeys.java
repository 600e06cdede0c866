package io.millrace.datasets;

/**
 * Lookup keys of a set of MAC addresses: for one side of many flows. One array per column, one
 * entry per row; {@link Dataset#UNKNOWN} means no value in {@code macs}, {@code vlans} and {@code
 * otherVlans}.
 *
 * @param macs 48 bits each
 * @param vlans VLAN of this side; 0 for none
 * @param otherVlans VLAN of the other side, used if this side has none
 * @param exporterHigh upper halves of the exporters' addresses
 * @param exporterLow lower halves
 * @param high upper halves of the IP addresses of this side, used if the MAC address is unknown
 * @param low lower halves
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record MacKeys(
    long[] macs,
    int[] vlans,
    int[] otherVlans,
    long[] exporterHigh,
    long[] exporterLow,
    long[] high,
    long[] low) {

  /** The keys of a single row. */
  public MacKeys at(int row) {
    return new MacKeys(
        new long[] {macs[row]},
        new int[] {vlans[row]},
        new int[] {otherVlans[row]},
        new long[] {exporterHigh[row]},
        new long[] {exporterLow[row]},
        new long[] {high[row]},
        new long[] {low[row]});
  }
}
