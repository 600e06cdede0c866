package io.millrace.datasets.range;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.Fingerprint;
import io.millrace.datasets.csv.AddressReader;
import io.millrace.datasets.csv.Faults;
import io.millrace.datasets.csv.LineFault;
import io.millrace.datasets.csv.MacReader;
import io.millrace.wire.block.Addresses;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Reads member lists of internet exchanges in the IX-F JSON format, versions 0.4 to 1.0, into a
 * {@link MacTable}: name and AS of members, by MAC address and by address in the peering LAN.
 *
 * <p>VLAN ids of the format are the exchange's own numbers and need not be VLAN tags. They matter
 * only if members share a MAC address, which then matches only with the VLAN. The files come from
 * third parties, so invalid entries are always skipped and counted.
 */
public final class IxfLoader {
  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder()
              .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(64).build())
              .build());
  private static final long MAX_ASN = 0xFFFF_FFFEL;
  private static final int MAX_VLAN = 4094;
  private static final long GROUP_BIT = 1L << 40;
  private static final int GZIP_MAGIC = 0x1F8B;

  private final Records records = new Records(DatasetConfig.MEMBER_FIELDS);
  private final MacTable table;
  private final Fingerprint fingerprint = new Fingerprint();
  private final Faults faults = new Faults(true);
  private final AddressReader address = new AddressReader();

  private final Map<Long, List<Port>> ports = new LinkedHashMap<>();

  private record Port(Path file, String where, int vlan, int record) {}

  private IxfLoader(String name) {
    table = new MacTable(name, records);
  }

  /**
   * Loads a data set from one or more files.
   *
   * @return the data set, and the skipped entries
   * @throws DatasetException if a file is not JSON or has no member list
   * @throws IOException if a file cannot be read
   */
  public static MacLoader.LoadedMacs load(String name, List<Path> files) throws IOException {
    IxfLoader loader = new IxfLoader(name);
    for (Path file : files) {
      loader.read(file, parse(file));
    }
    loader.addMacs();
    loader.records.trim();
    loader.records.addTo(loader.fingerprint);
    loader.table.built(loader.fingerprint.value());
    return new MacLoader.LoadedMacs(loader.table, loader.faults);
  }

  private static JsonNode parse(Path file) throws IOException {
    try (InputStream raw = new BufferedInputStream(Files.newInputStream(file))) {
      raw.mark(2);
      int magic = raw.read() << 8 | raw.read();
      raw.reset();
      JsonNode root = JSON.readTree(magic == GZIP_MAGIC ? new GZIPInputStream(raw) : raw);
      if (root == null || !root.path("member_list").isArray()) {
        throw new DatasetException(
            file, "missing member_list; expected a member list in the IX-F JSON format");
      }
      return root;
    } catch (JsonProcessingException e) {
      long line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
      throw new DatasetException(file, line, "invalid JSON: " + e.getOriginalMessage());
    } catch (ZipException e) {
      throw new DatasetException(file, "invalid gzip data: " + e.getMessage());
    }
  }

  private void read(Path file, JsonNode root) throws IOException {
    JsonNode members = root.path("member_list");
    for (int i = 0; i < members.size(); i++) {
      String where = "member_list[" + i + "]";
      int record = record(file, where, members.get(i));
      if (record != Dataset.UNKNOWN) {
        connections(file, where, members.get(i).path("connection_list"), record);
      }
    }
  }

  private int record(Path file, String where, JsonNode member) throws IOException {
    String name = text(member.path("name"));
    String asn = text(member.path("asnum"));
    int number = asn.isEmpty() ? Dataset.UNKNOWN : asn(asn);
    if (number == Dataset.UNKNOWN && !(asn.isEmpty() && name.isEmpty())) {
      faults.add(
          LineFault.NUMBER,
          file,
          where + ".asnum",
          "\"" + asn + "\" is not an AS number from 0 to " + MAX_ASN);
    }
    if (name.isEmpty() && number == Dataset.UNKNOWN) {
      faults.add(LineFault.TEXT, file, where, "member without name and AS number");
      return Dataset.UNKNOWN;
    }
    String shown = name.isEmpty() ? "AS" + Integer.toUnsignedString(number) : name;
    byte[] bytes = shown.getBytes(StandardCharsets.UTF_8);
    int ordinal = records.texts(0).ordinal(bytes, 0, bytes.length);
    return records.record(new int[] {ordinal, number});
  }

  private static String text(JsonNode node) {
    return node.isValueNode() && !node.isNull() ? node.asText().strip() : "";
  }

  private static int asn(String text) {
    String digits = text.regionMatches(true, 0, "AS", 0, 2) ? text.substring(2) : text;
    try {
      long value = Long.parseLong(digits);
      return value >= 0 && value <= MAX_ASN ? (int) value : Dataset.UNKNOWN;
    } catch (NumberFormatException e) {
      return Dataset.UNKNOWN;
    }
  }

  private void connections(Path file, String member, JsonNode connections, int record)
      throws IOException {
    for (int i = 0; i < connections.size(); i++) {
      JsonNode vlans = connections.get(i).path("vlan_list");
      for (int k = 0; k < vlans.size(); k++) {
        JsonNode vlan = vlans.get(k);
        String where = "%s.connection_list[%d].vlan_list[%d]".formatted(member, i, k);
        int id = vlan.path("vlan_id").asInt(MacTable.ANY);
        int tag = id >= 1 && id <= MAX_VLAN ? id : MacTable.ANY;
        macs(file, where, vlan, tag, record);
        for (String family : List.of("ipv4", "ipv6")) {
          JsonNode details = vlan.path(family);
          macs(file, where + "." + family, details, tag, record);
          address(file, where + "." + family + ".address", details.path("address"), record);
        }
      }
    }
  }

  /** {@code mac_addresses} since version 0.6, {@code mac_address} before. */
  private void macs(Path file, String where, JsonNode details, int vlan, int record)
      throws IOException {
    for (String key : List.of("mac_addresses", "mac_address")) {
      JsonNode macs = details.path(key);
      if (macs.isArray()) {
        for (int i = 0; i < macs.size(); i++) {
          mac(file, where + "." + key + "[" + i + "]", macs.get(i), vlan, record);
        }
      } else {
        mac(file, where + "." + key, macs, vlan, record);
      }
    }
  }

  private void mac(Path file, String where, JsonNode node, int vlan, int record)
      throws IOException {
    String text = text(node);
    if (text.isEmpty()) { // the exchange does not know the address
      return;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    long mac = MacReader.parse(bytes, 0, bytes.length);
    if (mac == MacReader.NONE) {
      faults.add(LineFault.MAC, file, where, "\"" + text + "\" is not a MAC address");
    } else if (mac == 0 || (mac & GROUP_BIT) != 0) {
      faults.add(
          LineFault.MAC, file, where, "\"" + text + "\" is not the MAC address of an interface");
    } else {
      ports.computeIfAbsent(mac, key -> new ArrayList<>()).add(new Port(file, where, vlan, record));
    }
  }

  private void address(Path file, String where, JsonNode node, int record) throws IOException {
    String text = text(node);
    if (text.isEmpty()) {
      return;
    }
    int slash = text.indexOf('/');
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (!address.parse(bytes, 0, slash < 0 ? bytes.length : slash) || isUnspecified()) {
      faults.add(LineFault.ADDRESS, file, where, "\"" + text + "\" is not an address of a member");
    } else if (table.addAddress(address.high(), address.low(), record)) {
      fingerprint.add(address.high());
      fingerprint.add(address.low());
      fingerprint.add(record);
    } else {
      int first = table.recordOfAddress(address.high(), address.low());
      if (first != record) {
        faults.add(
            LineFault.OVERLAPPING,
            file,
            where,
            "the address " + text + " belongs to " + name(first));
      }
    }
  }

  private boolean isUnspecified() {
    return address.high() == 0 && (address.low() == 0 || address.low() == Addresses.V4_PREFIX);
  }

  private String name(int record) {
    int ordinal = records.values(0)[record];
    return new String(
        records.texts(0).bytes(),
        records.texts(0).start(ordinal),
        records.texts(0).length(ordinal),
        StandardCharsets.UTF_8);
  }

  /**
   * Adds MAC addresses: those of a single member match any VLAN, those of several members only each
   * member's VLAN.
   */
  private void addMacs() throws IOException {
    for (Map.Entry<Long, List<Port>> entry : ports.entrySet()) {
      long mac = entry.getKey();
      Map<Integer, Integer> byVlan = new LinkedHashMap<>();
      boolean isShared =
          entry.getValue().stream().mapToInt(Port::record).distinct().limit(2).count() > 1;
      for (Port port : entry.getValue()) {
        int vlan = isShared ? port.vlan : MacTable.ANY;
        Integer first = byVlan.putIfAbsent(vlan, port.record);
        if (first == null) {
          table.add(mac, Addresses.NULL, Addresses.NULL, vlan, port.record);
          fingerprint.add(mac);
          fingerprint.add(vlan);
          fingerprint.add(port.record);
        } else if (first != port.record) {
          faults.add(
              LineFault.OVERLAPPING,
              port.file,
              port.where,
              "the MAC address %012x belongs to %s".formatted(mac, name(first)));
        }
      }
    }
  }
}
