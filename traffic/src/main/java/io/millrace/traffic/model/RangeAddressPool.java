package io.millrace.traffic.model;

import io.millrace.wire.block.Addresses;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Networks made of the ranges of an AS table and, optionally, of a reverse-DNS set. */
public final class RangeAddressPool implements AddressPool {
  private static final Comparator<NetworkRange> BY_FIRST =
      (a, b) -> NetworkRange.compare(a.firstHigh(), a.firstLow(), b.firstHigh(), b.firstLow());

  private final List<Network> networks = new ArrayList<>();
  private final int namesOutside;

  /**
   * Groups ranges into networks by their AS number, in the order of their first range.
   *
   * @param ranges ranges of both families in any order, not overlapping
   * @param names addresses with names; those outside the ranges are skipped and counted
   */
  public RangeAddressPool(List<NetworkRange> ranges, List<NamedAddress> names) {
    NetworkRange[] sorted = ranges.toArray(NetworkRange[]::new);
    Arrays.sort(sorted, BY_FIRST);
    Map<Long, Network> byNumber = new HashMap<>();
    for (NetworkRange range : sorted) {
      Network network = byNumber.get(range.asNumber());
      if (network == null) {
        network = new Network(range.asNumber(), range.name());
        byNumber.put(range.asNumber(), network);
        networks.add(network);
      }
      network.hosts(range.isV6()).ranges.add(range);
    }
    networks.forEach(Network::finish);
    int outside = 0;
    for (NamedAddress name : names) {
      NetworkRange range = find(sorted, name.high(), name.low());
      if (range == null) {
        outside++;
      } else {
        byNumber.get(range.asNumber()).hosts(range.isV6()).named.add(name);
      }
    }
    namesOutside = outside;
  }

  private static NetworkRange find(NetworkRange[] sorted, long high, long low) {
    int from = 0;
    int to = sorted.length; // the first range after the address is in [from, to]
    while (from < to) {
      int middle = (from + to) >>> 1;
      NetworkRange range = sorted[middle];
      if (NetworkRange.compare(range.firstHigh(), range.firstLow(), high, low) <= 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from > 0 && sorted[from - 1].contains(high, low) ? sorted[from - 1] : null;
  }

  /** Number of names whose address is outside of the ranges. */
  public int namesOutside() {
    return namesOutside;
  }

  @Override
  public int networks() {
    return networks.size();
  }

  @Override
  public long asNumber(int network) {
    return networks.get(network).asNumber;
  }

  @Override
  public String name(int network) {
    return networks.get(network).name;
  }

  @Override
  public boolean has(int network, boolean v6) {
    return !networks.get(network).hosts(v6).ranges.isEmpty();
  }

  @Override
  public int namedHosts(int network, boolean v6) {
    return networks.get(network).hosts(v6).named.size();
  }

  @Override
  public void namedHost(int network, boolean v6, int i, long[] out) {
    NamedAddress address = networks.get(network).hosts(v6).named.get(i);
    out[0] = address.high();
    out[1] = address.low();
  }

  @Override
  public void host(int network, boolean v6, long host, long[] out) {
    networks.get(network).hosts(v6).pick(host, out);
  }

  private static final class Network {
    final long asNumber;
    final String name;
    final Hosts v4 = new Hosts();
    final Hosts v6 = new Hosts();

    Network(long asNumber, String name) {
      this.asNumber = asNumber;
      this.name = name;
    }

    Hosts hosts(boolean six) {
      return six ? v6 : v4;
    }

    void finish() {
      v4.finish();
      v6.finish();
    }
  }

  /** The ranges of one family, weighted by their number of addresses (/64s). */
  private static final class Hosts {
    final List<NetworkRange> ranges = new ArrayList<>();
    final List<NamedAddress> named = new ArrayList<>();
    private double[] ends = {};

    void finish() {
      ends = new double[ranges.size()];
      double sum = 0;
      for (int i = 0; i < ends.length; i++) {
        NetworkRange range = ranges.get(i);
        sum +=
            range.isV6()
                ? (double) (range.lastHigh() - range.firstHigh()) + 1
                : (double) (range.lastLow() - range.firstLow()) + 1;
        ends[i] = sum;
      }
    }

    void pick(long host, long[] out) {
      long bits = SplitMix.mix(host * 0x9E37_79B9_7F4A_7C15L + 1);
      double at = (bits >>> 11) * 0x1.0p-53 * ends[ends.length - 1];
      int i = Arrays.binarySearch(ends, at);
      NetworkRange range = ranges.get(i < 0 ? Math.min(~i, ends.length - 1) : i);
      long more = SplitMix.mix(bits ^ host);
      if (range.firstHigh() == range.lastHigh()) {
        out[0] = range.firstHigh();
        out[1] = within(range.firstLow(), range.lastLow(), more);
      } else {
        // Choose a subnet between the first and the last, so that any interface identifier is in
        // the range.
        boolean firstIsWhole = range.firstLow() == 0;
        boolean lastIsWhole = range.lastLow() == -1L;
        long first = range.firstHigh() + (firstIsWhole ? 0 : 1);
        long last = range.lastHigh() - (lastIsWhole ? 0 : 1);
        if (Long.compareUnsigned(first, last) > 0) {
          out[0] = range.firstHigh();
          out[1] = range.firstLow();
        } else {
          out[0] = within(first, last, more);
          out[1] = (bits & 3) == 0 ? bits >>> 48 : SplitMix.mix(more) & ~(1L << 57);
        }
      }
      if (Addresses.isNull(out[0], out[1])) {
        throw new IllegalStateException("no address in " + range);
      }
    }

    private static long within(long first, long last, long bits) {
      long span = last - first + 1; // 0 means all 2⁶⁴
      return span == 0 ? bits : first + Long.remainderUnsigned(bits, span);
    }
  }
}
