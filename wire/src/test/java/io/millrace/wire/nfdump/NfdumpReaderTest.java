package io.millrace.wire.nfdump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.fuzz.FuzzTime;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NfdumpReaderTest {
  private static final int FLOWS = 200;

  private final List<String> rows = new ArrayList<>();
  private final TreeMap<String, Integer> rejects = new TreeMap<>();
  private String damage = "";

  private void read(byte[] file) throws IOException {
    rows.clear();
    rejects.clear();
    damage = "";
    NfdumpReader reader =
        NfdumpReader.open(
            new ByteArrayInputStream(file),
            (reason, place) -> rejects.merge(reason, 1, Integer::sum));
    try {
      boolean more = true;
      while (more) {
        more = reader.next(this::add);
      }
    } catch (NfdumpException e) {
      damage = e.getMessage();
    }
  }

  private void add(FlowBlock block) {
    for (int row = 0; row < block.rows(); row++) {
      rows.add(
          "%d %d %d %s %s %d %d %d %d %d %d %d %s"
              .formatted(
                  block.longs(FlowColumn.TIME)[row] / 1_000 - NfdumpFiles.START * 1_000,
                  block.longs(FlowColumn.FLOW_START)[row] / 1_000 - NfdumpFiles.START * 1_000,
                  block.longs(FlowColumn.FLOW_END)[row] / 1_000 - NfdumpFiles.START * 1_000,
                  text(block, FlowColumn.SRC_ADDR, row),
                  text(block, FlowColumn.DST_ADDR, row),
                  block.ints(FlowColumn.PROTO)[row],
                  block.ints(FlowColumn.SRC_PORT)[row],
                  block.ints(FlowColumn.DST_PORT)[row],
                  block.longs(FlowColumn.PACKETS)[row],
                  block.longs(FlowColumn.BYTES)[row],
                  block.ints(FlowColumn.OUT_IF)[row],
                  block.ints(FlowColumn.EXPORTER_DST_AS)[row],
                  text(block, FlowColumn.NEXT_HOP, row)));
    }
  }

  private static String text(FlowBlock block, FlowColumn column, int row) {
    return Addresses.toText(block.addressHigh(column)[row], block.addressLow(column)[row]);
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = NfdumpReaderTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  private void assertRows() {
    assertThat(damage).isEmpty();
    assertThat(rejects).isEmpty();
    assertThat(rows).hasSize(FLOWS);
    assertThat(rows)
        .contains(
            "2000 0 500 10.0.0.0 203.0.113.5 6 1024 443 1 100 12 64501 198.51.100.1",
            "5000 3000 3500 2001:db8::3 2001:db8:0:1::9 6 1027 443 4 400 12 64501 198.51.100.1",
            "8000 6000 6500 10.0.0.6 203.0.113.5 1 3 1 7 700 12 64501 198.51.100.1");
  }

  @Test
  void readsLayoutVersion1() throws IOException {
    read(NfdumpFiles.version1(FLOWS, 3, false));
    assertRows();
    read(NfdumpFiles.version1(FLOWS, 3, true));
    assertRows();
    read(NfdumpFiles.bigEndian(FLOWS));
    assertRows();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 4})
  void readsLayoutVersion2(int compression) throws IOException {
    read(NfdumpFiles.version2(FLOWS, 3, compression));
    assertRows();
  }

  /** Files that nfdump 1.7.1 made from those of {@link NfdumpFiles}. */
  @ParameterizedTest
  @ValueSource(strings = {"lzo.nfcapd", "lz4.nfcapd", "bzip2.nfcapd"})
  void readsWhatNfdumpHasCompressed(String name) throws IOException {
    read(resource(name));
    assertRows();
  }

  @Test
  void exportersAreThoseThatTheFileNames() throws IOException {
    List<String> exporters = new ArrayList<>();
    NfdumpReader reader =
        NfdumpReader.open(
            new ByteArrayInputStream(NfdumpFiles.version1(4, 1, false)), (reason, place) -> {});
    assertThat(reader.next(block -> exporters.add(text(block, FlowColumn.EXPORTER, 3)))).isTrue();
    assertThat(exporters).containsExactly(NfdumpFiles.EXPORTER);
  }

  @Test
  void rowsBeforeADamageAreGiven() throws IOException {
    byte[] file = NfdumpFiles.version2(FLOWS, 4, 4);
    read(Arrays.copyOf(file, file.length / 2));
    assertThat(rows.size()).isIn(50, 100, 150);
    assertThat(damage).matches("block [234] at byte [0-9,]+ is truncated");
    byte[] lzo = resource("lzo.nfcapd");
    Arrays.fill(lzo, 60, 70, (byte) 0xFF);
    read(lzo);
    assertThat(damage).startsWith("block 1 at byte 40 cannot be decompressed: ");
  }

  @Test
  void aBadRecordCostsThatRecord() throws IOException {
    byte[] file = NfdumpFiles.version2(FLOWS, 1, 0);
    int record = 40 + 12 + 32;
    file[record + 12] = 77; // no element with this number has the counters
    read(file);
    assertThat(damage).isEmpty();
    assertThat(rejects).containsExactly(java.util.Map.entry("not a flow", 1));
    assertThat(rows).hasSize(FLOWS - 1);
  }

  @Test
  void otherFilesAreRejected() {
    assertThat(NfdumpReader.recognises(new byte[] {1, 2, 3, 4})).isFalse();
    byte[] third = {0x0C, (byte) 0xA5, 3, 0};
    assertThatThrownBy(() -> read(third))
        .hasMessage("unsupported layout version 3, expected 1 (nfdump 1.6) or 2 (nfdump 1.7)");
  }

  /** Any changed byte gives rows, rejects or damage, within the memory of a block. */
  @Test
  void anyBytesAreRead() throws IOException {
    List<byte[]> files =
        List.of(
            NfdumpFiles.version1(20, 2, false),
            NfdumpFiles.version2(20, 2, 0),
            NfdumpFiles.version2(20, 2, 2),
            NfdumpFiles.version2(20, 2, 4),
            resource("lzo.nfcapd"),
            resource("lz4.nfcapd"));
    Consumer<Random> turn =
        random -> {
          byte[] file = files.get(random.nextInt(files.size())).clone();
          for (int i = 0; i <= random.nextInt(4); i++) {
            file[4 + random.nextInt(file.length - 4)] = (byte) random.nextInt(256);
          }
          try {
            read(random.nextBoolean() ? file : Arrays.copyOf(file, random.nextInt(file.length)));
          } catch (NfdumpException e) {
            damage = e.getMessage();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          assertThat(damage).doesNotContain("null");
        };
    FuzzTime.run("nfcapd", 48, 6_000, turn);
  }

  /** If Debian's nfdump is installed, both read the same number of flows. */
  @Test
  void nfdumpReadsOurFilesToo(@org.junit.jupiter.api.io.TempDir Path dir) throws Exception {
    Path tool = Path.of("/usr/bin/nfdump");
    org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(tool), "nfdump is not installed");
    for (byte[] file :
        List.of(NfdumpFiles.version1(FLOWS, 3, true), NfdumpFiles.version2(FLOWS, 3, 0))) {
      Path written = Files.write(dir.resolve("file"), file);
      Process process =
          new ProcessBuilder(tool.toString(), "-r", written.toString(), "-q", "-o", "line").start();
      String lines =
          new String(
              process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(lines.lines()).hasSize(FLOWS);
    }
  }
}
