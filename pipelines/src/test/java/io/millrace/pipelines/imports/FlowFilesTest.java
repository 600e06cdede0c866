package io.millrace.pipelines.imports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files recognised by content, and external tables by mappings. */
class FlowFilesTest {
  private static final Path CAPTURES = Path.of("../../shared/captures");

  @TempDir Path dir;

  private final List<String> rows = new ArrayList<>();
  private String rejected = "";
  private String damage = "";

  private void read(Path path, Optional<String> mapping, Optional<Instant> time)
      throws IOException {
    rows.clear();
    damage = "";
    try (FlowFile file =
        FlowFiles.open(path, FlowsConfig.defaults(), new ImportOptions(mapping, time))) {
      try {
        long offset = 0;
        while (file.next(7, offset, this::add)) {
          offset++;
        }
      } catch (IOException e) {
        damage = e.getMessage();
      }
      rejected = file.rejections().text();
    }
  }

  private void add(FlowBlock block) {
    assertThat(block.logPartition()).isEqualTo(7);
    for (int row = 0; row < block.rows(); row++) {
      rows.add(
          "%d %s %s %d %d %d %d %d %d"
              .formatted(
                  block.longs(FlowColumn.TIME)[row],
                  address(block, FlowColumn.SRC_ADDR, row),
                  address(block, FlowColumn.DST_ADDR, row),
                  block.ints(FlowColumn.PROTO)[row],
                  block.ints(FlowColumn.SRC_PORT)[row],
                  block.ints(FlowColumn.DST_PORT)[row],
                  block.longs(FlowColumn.BYTES)[row],
                  block.longs(FlowColumn.PACKETS)[row],
                  block.ints(FlowColumn.SAMPLING_RATE)[row]));
    }
  }

  private static String address(FlowBlock block, FlowColumn column, int row) {
    return Addresses.toText(block.addressHigh(column)[row], block.addressLow(column)[row]);
  }

  private Path write(String name, String... lines) throws IOException {
    return Files.write(dir.resolve(name), List.of(lines));
  }

  @Test
  void theExchangePointsMessagesHaveAMapping() throws IOException {
    Path csv =
        write(
            "x.csv",
            "1.0.0.1,198.51.100.2,6,443,50000,1500,1380000000123456",
            "1.0.0.9,2001:db8::1,17,53,4000,80,1380000000123457",
            "1.0.0.9,198.51.100.2,6,443,99999,80,1380000000123458");
    read(csv, Optional.of("exchange-point"), Optional.empty());
    assertThat(rows)
        .containsExactly(
            "1380000000123456 1.0.0.1 198.51.100.2 6 443 50000 1500 1 2000",
            "1380000000123457 1.0.0.9 2001:db8::1 17 53 4000 80 1 2000");
    assertThat(rejected).isEqualTo("1 × bad dst_port (first: line 3: \"99999\")");
  }

  @Test
  void linesOfSflowtoolHaveOneToo() throws IOException {
    Path gzip = dir.resolve("lines.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(gzip))) {
      out.write(
          """
          CNTR,192.0.2.1,7,6,100000000,1,3,1,2,3,4
          FLOW,192.0.2.1,7,9,001122334455,66778899aabb,0x0800,10,20,10.0.0.1,10.0.0.2,6,0x00,64,443,50000,0x18,1518,1500,512
          FLOW,192.0.2.1,7,9,001122334455,66778899aabb,0x0806,10,20,-,-,0,0x00,0,0,0,0x00,64,46,512
          """
              .getBytes(StandardCharsets.US_ASCII));
    }
    Instant time = Instant.parse("2026-01-31T12:00:00Z");
    read(gzip, Optional.of("sflowtool"), Optional.of(time));
    assertThat(rows)
        .containsExactly(time.getEpochSecond() + "000000 10.0.0.1 10.0.0.2 6 443 50000 1500 1 512");
    assertThat(rejected).isEqualTo("1 × no address (first: line 3)");
    assertThatThrownBy(() -> read(gzip, Optional.of("sflowtool"), Optional.empty()))
        .hasMessageContaining("give a time for all rows, --time");
    assertThatThrownBy(() -> read(gzip, Optional.empty(), Optional.empty()))
        .hasMessageContaining("output of sflowtool: give --mapping sflowtool and --time");
  }

  @Test
  void aMappingOfOnesOwnHasUnitsAndQuotes() throws IOException {
    Path csv =
        write(
            "own.csv",
            "\uFEFFsrc;\"when \"\"it\"\" was\";proto;kb",
            "192.0.2.1;2026-01-31 12:00:00.5+02:00;TCP;1.5",
            "\"192.0.2.2\";2026-01-31T12:00:00Z;udp;2");
    String yaml =
        """
        format: csv
        delimiter: ";"
        columns:
          time: {column: 'when "it" was', unit: iso}
          src_addr: {column: src}
          proto: {column: proto}
          bytes: {column: kb, factor: 1024}
          sampling_rate: {value: 100}
        """;
    read(csv, Optional.of(yaml), Optional.empty());
    assertThat(rejected).isEmpty();
    assertThat(rows)
        .containsExactly(
            micros("2026-01-31T10:00:00.5Z") + " 192.0.2.1  6 -1 -1 1536 1 100",
            micros("2026-01-31T12:00:00Z") + " 192.0.2.2  17 -1 -1 2048 1 100");
  }

  private static long micros(String instant) {
    return Instant.parse(instant).toEpochMilli() * 1_000;
  }

  @Test
  void externalParquetIsMappedToo() throws Exception {
    Path parquet = dir.resolve("x.parquet");
    try (Connection memory = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = memory.createStatement()) {
      statement.execute(
          "COPY (SELECT '10.0.0.' || (i % 9) AS src, TIMESTAMP '2026-01-31 12:00:00' + INTERVAL (i) SECONDS AS ts, i AS b FROM range(5000) t(i)) TO '"
              + parquet
              + "' (FORMAT parquet)");
    }
    String yaml =
        "{format: parquet, columns: {time: {column: ts}, src_addr: {column: src}, bytes: {column: b}}}";
    read(parquet, Optional.of(yaml), Optional.empty());
    assertThat(rows).hasSize(5_000);
    assertThat(rows.get(4_999))
        .isEqualTo(micros("2026-01-31T13:23:19Z") + " 10.0.0.4  -1 -1 -1 4999 1 1");
    assertThatThrownBy(
            () -> read(parquet, Optional.of(yaml.replace("ts", "when")), Optional.empty()))
        .hasMessage("unknown column when, the file has src, ts, b");
  }

  @Test
  void invalidMappingsAreRejectedByKey() {
    for (String[] wrong :
        new String[][] {
          {
            "nosuch",
            "unknown mapping \"nosuch\", expected one of exchange-point, netdata, sflowtool"
          },
          {"{columns: {colour: {column: 1}}}", "columns.colour: not an importable column of flows"},
          {"{columns: {time: {column: 1, unit: h}}}", "columns.time.unit: h, expected one of"},
          {"{columns: {bytes: {colum: 1}}}", "columns.bytes: unknown key colum"},
          {"{columns: {bytes: {}}}", "columns.bytes: expected column or value"},
          {"{header: false, columns: {bytes: {column: b}}}", "column b, expected a number"},
          {"{format: xml}", "format xml, expected csv or parquet"},
          {"{a: b: c}", "invalid YAML"},
        }) {
      assertThatThrownBy(() -> Mapping.of(wrong[0])).as(wrong[0]).hasMessageContaining(wrong[1]);
    }
  }

  @Test
  void unknownFilesAreRejectedWithTheListOfTheKnownOnes() throws IOException {
    assertThatThrownBy(() -> read(write("x", "hello"), Optional.empty(), Optional.empty()))
        .isInstanceOf(UnknownFormatException.class)
        .hasMessageStartingWith("unknown format, expected pcap and pcapng, nfcapd of nfdump");
    assertThatThrownBy(() -> read(write("empty"), Optional.empty(), Optional.empty()))
        .hasMessageContaining("the file is empty");
  }

  @Test
  void packetsHaveTheAddressesAndLabelsOfTheirFrames() throws IOException {
    String frame =
        "020000000002"
            + "020000000001"
            + "81000064"
            + "8847"
            + "00064140"
            + "4500001c000000004011"
            + "0000"
            + "0a0000010a000002"
            + "0035003600080000";
    byte[] packet = HexFormat.of().parseHex(frame);
    ByteBuffer capture = ByteBuffer.allocate(40 + packet.length);
    capture.putInt(0xA1B2C3D4).putShort((short) 2).putShort((short) 4).putLong(0);
    capture.putInt(65_535).putInt(1);
    capture.putInt(1_700_000_000).putInt(5).putInt(packet.length).putInt(packet.length).put(packet);
    byte[] bytes = new byte[capture.flip().remaining()];
    capture.get(bytes);
    Path file = Files.write(dir.resolve("frames.pcap"), bytes);
    List<String> seen = new ArrayList<>();
    try (FlowFile open =
        FlowFiles.open(
            file, FlowsConfig.defaults(), new ImportOptions(Optional.empty(), Optional.empty()))) {
      while (open.next(
          7,
          0,
          block ->
              seen.add(
                  "%x %x %d %d %d"
                      .formatted(
                          block.longs(FlowColumn.SRC_MAC)[0],
                          block.longs(FlowColumn.DST_MAC)[0],
                          block.ints(FlowColumn.SRC_VLAN)[0],
                          block.ints(FlowColumn.MPLS_LABEL)[0],
                          block.longs(FlowColumn.BYTES)[0])))) {
        // to its end
      }
    }
    assertThat(seen).containsExactly("20000000001 20000000002 100 100 28");
  }

  /** As in the reference of the captures, with the captures' times. */
  @Test
  void capturesOfDatagramsAreDecodedAsByTheCollector() throws IOException {
    Path capture = CAPTURES.resolve("wild/32-v5-mode-and-clock.pcap");
    assumeTrue(Files.exists(capture), capture + " is not there");
    read(capture, Optional.empty(), Optional.empty());
    assertThat(rows).isNotEmpty();
    assertThat(damage).isEmpty();
    byte[] bytes = Files.readAllBytes(capture);
    int whole = rows.size();
    Path cut = Files.write(dir.resolve("cut"), java.util.Arrays.copyOf(bytes, bytes.length - 3));
    read(cut, Optional.empty(), Optional.empty());
    assertThat(damage).contains("(byte ");
    assertThat(rows.size()).isLessThanOrEqualTo(whole);
  }
}
