package io.millrace.datasets.mmdb;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes small MaxMind DB files, version 2.0: an IPv6 tree with 32-bit records (IPv4 begins at ::),
 * sixteen zero bytes, the data, a marker, the metadata.
 */
final class MmdbWriter {
  private static final int NONE = -1;

  /** Two branches per node: a node, −2 − the position of its data, or nothing. */
  private final List<int[]> nodes = new ArrayList<>(List.of(new int[] {NONE, NONE}));

  private final ByteArrayOutputStream data = new ByteArrayOutputStream();

  /** Adds the data of a network: sixteen address bytes and the prefix length. */
  MmdbWriter put(byte[] address, int bits, Map<String, ?> known) {
    int node = 0;
    for (int bit = 0; ; bit++) {
      int branch = address[bit / 8] >> (7 - bit % 8) & 1;
      if (bit == bits - 1) {
        nodes.get(node)[branch] = -2 - data.size();
        write(data, known);
        return this;
      }
      if (nodes.get(node)[branch] < 0) {
        nodes.get(node)[branch] = nodes.size();
        nodes.add(new int[] {NONE, NONE});
      }
      node = nodes.get(node)[branch];
    }
  }

  void writeTo(Path file) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int[] node : nodes) {
      for (int branch : node) {
        number(
            out,
            branch == NONE ? nodes.size() : branch >= 0 ? branch : nodes.size() + 16 - 2 - branch,
            4);
      }
    }
    out.write(new byte[16]);
    out.write(data.toByteArray());
    out.write(new byte[] {(byte) 0xAB, (byte) 0xCD, (byte) 0xEF});
    out.write("MaxMind.com".getBytes(StandardCharsets.UTF_8));
    Map<String, Object> about = new LinkedHashMap<>();
    about.put("binary_format_major_version", 2);
    about.put("binary_format_minor_version", 0);
    about.put("build_epoch", 1_700_000_000L);
    about.put("database_type", "Test");
    about.put("description", Map.of());
    about.put("ip_version", 6);
    about.put("languages", List.of());
    about.put("node_count", (long) nodes.size());
    about.put("record_size", 32);
    write(out, about);
    Files.write(file, out.toByteArray());
  }

  /** Texts, whole numbers, maps and lists, each with a leading control byte. */
  private static void write(ByteArrayOutputStream out, Object value) {
    if (value instanceof String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      out.write(2 << 5 | bytes.length);
      out.writeBytes(bytes);
    } else if (value instanceof Integer number) { // uint16
      out.write(5 << 5 | 2);
      number(out, number, 2);
    } else if (value instanceof Long number) { // uint32
      out.write(6 << 5 | 4);
      number(out, number, 4);
    } else if (value instanceof Map<?, ?> map) {
      out.write(7 << 5 | map.size());
      map.forEach(
          (key, its) -> {
            write(out, key);
            write(out, its);
          });
    } else if (value instanceof List<?> list) { // extended types are stored less 7
      out.write(list.size());
      out.write(11 - 7);
      list.forEach(its -> write(out, its));
    }
  }

  private static void number(ByteArrayOutputStream out, long number, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      out.write((int) (number >>> shift));
    }
  }
}
