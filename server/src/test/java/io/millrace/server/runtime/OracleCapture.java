package io.millrace.server.runtime;

import io.millrace.wire.pcap.CaptureReader;
import io.millrace.wire.pcap.DatagramExtractor;
import io.millrace.wire.sflow.SflowHeader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A capture of export datagrams, with the rows of an independent decoder. */
record OracleCapture(Path file) {
  /** Query with the columns of {@link #rows}. */
  static final String QUERY =
      "SELECT src_addr, dst_addr, proto, src_port, dst_port, bytes, sampling_rate, in_if, out_if"
          + " FROM flows";

  /** A datagram and its sender. */
  record Datagram(String sender, ByteBuffer payload) {}

  List<Datagram> datagrams() throws IOException {
    List<Datagram> datagrams = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      CaptureReader capture = CaptureReader.open(in);
      DatagramExtractor extractor =
          new DatagramExtractor(
              (time, high, low, port, toPort, bytes, offset, length, truncated) -> {
                if (SflowHeader.looksLike(bytes, offset, length)) {
                  ByteBuffer payload =
                      ByteBuffer.allocate(length).put(bytes, offset, length).flip();
                  datagrams.add(new Datagram(high + "/" + low + "/" + port, payload));
                }
              });
      while (capture.next()) {
        extractor.packet(capture);
      }
    }
    return datagrams;
  }

  /** Rows of IP samples, in the format of {@link Instances#rows}. */
  List<String> rows() throws IOException {
    List<String> rows = new ArrayList<>();
    String name = file.getFileName().toString();
    Path oracle = file.resolveSibling(name.substring(0, name.lastIndexOf('.')) + ".oracle.tsv");
    String[] names = null;
    for (String line : Files.readAllLines(oracle)) {
      if (line.startsWith("# ")) {
        continue;
      }
      String[] values = line.split("\t", -1);
      if (names == null) {
        names = values;
        continue;
      }
      Map<String, String> row = new LinkedHashMap<>();
      for (int i = 0; i < names.length; i++) {
        row.put(names[i], values[i]);
      }
      if (!row.get("src_ip").isEmpty()) {
        rows.add(row(row));
      }
    }
    return rows;
  }

  private static String row(Map<String, String> r) {
    String[] icmp = r.get("icmp").isEmpty() ? null : r.get("icmp").split("/", -1);
    return String.join(
        " ",
        r.get("src_ip"),
        r.get("dst_ip"),
        r.get("ip_proto"),
        orNull(icmp == null ? r.get("src_port") : icmp[0]),
        orNull(icmp == null ? r.get("dst_port") : icmp[1]),
        r.get("ip_len"),
        orNull(r.get("sampling_rate")),
        orNull(r.get("input_if")),
        orNull(r.get("output_if")));
  }

  private static String orNull(String text) {
    return text.isEmpty() ? "-" : text;
  }
}
