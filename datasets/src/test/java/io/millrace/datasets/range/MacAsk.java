package io.millrace.datasets.range;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.MacKeys;
import io.millrace.datasets.csv.MacReader;
import io.millrace.wire.block.Addresses;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Looks up one row in a set of MAC addresses. */
final class MacAsk {
  private MacAsk() {}

  static String of(Dataset table, String mac, String exporter, int vlan) {
    return of(table, mac, exporter, vlan, -1, null);
  }

  /** Values separated by bars; "unknown" without a record. */
  static String of(
      Dataset table, String mac, String exporter, int vlan, int otherVlan, String address) {
    byte[] bytes = mac == null ? new byte[0] : mac.getBytes(StandardCharsets.UTF_8);
    long[] device = parse(exporter);
    long[] own = parse(address);
    Lookup lookup = table.newLookup();
    int[] record = new int[1];
    lookup.lookup(
        new MacKeys(
            new long[] {MacReader.parse(bytes, 0, bytes.length)},
            new int[] {vlan},
            new int[] {otherVlan},
            new long[] {device[0]},
            new long[] {device[1]},
            new long[] {own[0]},
            new long[] {own[1]}),
        1,
        record);
    if (record[0] == Dataset.UNKNOWN) {
      return "unknown";
    }
    List<String> values = new ArrayList<>();
    for (int field = 0; field < table.fields().size(); field++) {
      int[] value = new int[1];
      lookup.values(field, record, 1, value);
      values.add(
          value[0] == Dataset.UNKNOWN
              ? "-"
              : table.fields().get(field).isText()
                  ? lookup.text(field, value[0])
                  : Integer.toUnsignedString(value[0]));
    }
    return String.join("|", values);
  }

  private static long[] parse(String address) {
    long[] parsed = {Addresses.NULL, Addresses.NULL};
    if (address != null && !Addresses.parse(address, parsed)) {
      throw new IllegalArgumentException(address);
    }
    return parsed;
  }
}
