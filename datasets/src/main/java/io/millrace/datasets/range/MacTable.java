package io.millrace.datasets.range;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.MacKeys;
import io.millrace.datasets.TextIds;
import io.millrace.wire.block.Addresses;
import java.util.Arrays;

/**
 * Records by MAC address, optionally with an exporter, a VLAN or both. The most specific entry
 * wins: exporter and VLAN, exporter, VLAN, MAC address only. Without a match, the record of the IP
 * address of the same side applies, if the set has one. Open addressing in flat arrays; thread-safe
 * once built.
 */
public final class MacTable extends RecordTable {
  /** Wildcard for exporter and VLAN. */
  static final int ANY = 0;

  private static final int SLOT_BYTES = Long.BYTES + 2 * Integer.BYTES;
  private static final int MAC_BITS = 48;
  private static final int WITH_EXPORTER = 2;
  private static final int WITH_VLAN = 1;

  private final PairTable exporters; // numbers exporters from 1
  private final PairTable addresses;
  private int exporterCount;
  private long[] keys = new long[1 << 6]; // VLAN and MAC address
  private int[] keyExporters = new int[1 << 6];
  private int[] found = new int[1 << 6]; // record + 1, or 0
  private int entries;
  private final boolean[] shapes = new boolean[4]; // combinations of WITH_… that occur in entries
  private long fingerprint;

  MacTable(String name, Records records) {
    super(name, records);
    exporters = new PairTable(name, records);
    addresses = new PairTable(name, records);
  }

  boolean add(long mac, long exporterHigh, long exporterLow, int vlan, int record) {
    if (entries * 2 >= found.length) {
      grow();
    }
    int exporter = isAny(exporterHigh, exporterLow) ? ANY : number(exporterHigh, exporterLow);
    long key = key(mac, vlan);
    int slot = slot(key, exporter);
    if (found[slot] != 0) {
      return false;
    }
    put(slot, key, exporter, record + 1);
    shapes[(exporter == ANY ? 0 : WITH_EXPORTER) + (vlan == ANY ? 0 : WITH_VLAN)] = true;
    entries++;
    return true;
  }

  boolean addAddress(long high, long low, int record) {
    return addresses.add(high, low, 0, record);
  }

  int recordOfAddress(long high, long low) {
    return addresses.find(high, low, 0);
  }

  void built(long identity) {
    fingerprint = identity;
  }

  private int number(long high, long low) {
    if (exporters.add(high, low, 0, exporterCount + 1)) {
      exporterCount++;
    }
    return exporters.find(high, low, 0);
  }

  private static boolean isAny(long high, long low) {
    return high == Addresses.NULL && low == Addresses.NULL;
  }

  private static long key(long mac, int vlan) {
    return (long) vlan << MAC_BITS | mac;
  }

  private void put(int slot, long key, int exporter, int its) {
    keys[slot] = key;
    keyExporters[slot] = exporter;
    found[slot] = its;
  }

  private void grow() {
    long[] oldKeys = keys;
    int[] oldExporters = keyExporters;
    int[] oldFound = found;
    int slots = Math.multiplyExact(oldFound.length, 2);
    keys = new long[slots];
    keyExporters = new int[slots];
    found = new int[slots];
    for (int i = 0; i < oldFound.length; i++) {
      if (oldFound[i] != 0) {
        put(slot(oldKeys[i], oldExporters[i]), oldKeys[i], oldExporters[i], oldFound[i]);
      }
    }
  }

  private int slot(long key, int exporter) {
    int mask = found.length - 1;
    int i = (int) TextIds.mix(key + exporter * 0x9E3779B97F4A7C15L) & mask;
    while (found[i] != 0 && (keys[i] != key || keyExporters[i] != exporter)) {
      i = (i + 1) & mask;
    }
    return i;
  }

  @Override
  public int entries() {
    return entries + addresses.entries();
  }

  @Override
  public long fingerprint() {
    return fingerprint;
  }

  @Override
  public long heapBytes() {
    return super.heapBytes()
        + (long) found.length * SLOT_BYTES
        + exporters.indexBytes()
        + addresses.indexBytes();
  }

  @Override
  public Lookup newLookup() {
    return new MacLookup();
  }

  private final class MacLookup extends RecordLookup {
    private final boolean hasExporters = shapes[WITH_EXPORTER] || shapes[WITH_EXPORTER + WITH_VLAN];
    private final boolean hasVlans = shapes[WITH_VLAN] || shapes[WITH_EXPORTER + WITH_VLAN];
    private final boolean hasAddresses = addresses.entries() > 0;

    @Override
    public void lookup(long[] high, long[] low, int rows, int[] out) {
      if (!hasAddresses) {
        Arrays.fill(out, 0, rows, UNKNOWN);
        return;
      }
      for (int i = 0; i < rows; i++) {
        out[i] = recordOfAddress(high[i], low[i]);
      }
    }

    @Override
    public void lookup(MacKeys query, int rows, int[] out) {
      long[] macs = query.macs();
      long exporterHigh = Addresses.NULL;
      long exporterLow = Addresses.NULL;
      int exporter = ANY;
      for (int i = 0; i < rows; i++) {
        if (hasExporters
            && (query.exporterHigh()[i] != exporterHigh || query.exporterLow()[i] != exporterLow)) {
          exporterHigh = query.exporterHigh()[i];
          exporterLow = query.exporterLow()[i];
          exporter = Math.max(exporters.find(exporterHigh, exporterLow, 0), ANY);
        }
        int vlan = hasVlans ? vlan(query, i) : ANY;
        int record = macs[i] == Dataset.UNKNOWN ? UNKNOWN : find(macs[i], exporter, vlan);
        out[i] =
            record == UNKNOWN && hasAddresses
                ? recordOfAddress(query.high()[i], query.low()[i])
                : record;
      }
    }

    private int vlan(MacKeys query, int row) {
      int vlan = query.vlans()[row];
      return Math.max(vlan > 0 ? vlan : query.otherVlans()[row], ANY);
    }

    private int find(long mac, int exporter, int vlan) {
      int record = UNKNOWN;
      for (int shape = shapes.length - 1; shape >= 0 && record == UNKNOWN; shape--) {
        boolean withExporter = (shape & WITH_EXPORTER) != 0;
        boolean withVlan = (shape & WITH_VLAN) != 0;
        if (shapes[shape] && (exporter != ANY || !withExporter) && (vlan != ANY || !withVlan)) {
          record = found[slot(key(mac, withVlan ? vlan : ANY), withExporter ? exporter : ANY)] - 1;
        }
      }
      return record;
    }
  }
}
