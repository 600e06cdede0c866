package io.millrace.datasets.range;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetConfigException;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.csv.LineFault;
import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PairLoaderTest {
  private static final List<String> INTERFACES =
      List.of("exporter", "interface", "name:text", "mbit_s:number");

  @TempDir Path directory;

  private PairLoader.LoadedPairs load(List<String> columns, boolean lenient, String... lines)
      throws IOException {
    Path file = Files.write(directory.resolve("pairs.csv"), List.of(lines));
    return PairLoader.load("pairs", List.of(file), Columns.parse("columns", columns), lenient);
  }

  private static String ask(Dataset table, String address, int number) {
    long[] key = new long[2];
    assertThat(Addresses.parse(address, key)).isTrue();
    int[] record = new int[1];
    Lookup lookup = table.newLookup();
    lookup.lookup(new long[] {key[0]}, new long[] {key[1]}, new int[] {number}, 1, record);
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

  @Test
  void findsInterfacesOfTheirDevice() throws IOException {
    Dataset table =
        load(
                INTERFACES,
                false,
                "exporter,interface,name,speed",
                "192.0.2.1,1,xe-0/0/1,10000",
                "192.0.2.1,2,xe-0/0/2,",
                "192.0.2.2,1,eth1,1000",
                "2001:db8::1,4294967294,eth1,1000")
            .table();
    assertThat(ask(table, "192.0.2.1", 1)).isEqualTo("xe-0/0/1|10000");
    assertThat(ask(table, "192.0.2.1", 2)).isEqualTo("xe-0/0/2|-");
    assertThat(ask(table, "192.0.2.2", 1)).isEqualTo("eth1|1000");
    assertThat(ask(table, "2001:db8::1", -2)).isEqualTo("eth1|1000");
    assertThat(ask(table, "192.0.2.2", 2)).isEqualTo("unknown");
    assertThat(ask(table, "192.0.2.3", 1)).isEqualTo("unknown");
    assertThat(ask(table, "192.0.2.1", Dataset.UNKNOWN)).isEqualTo("unknown");
    assertThat(table.records()).isEqualTo(3);
  }

  @Test
  void findsPortsOfTheirProtocol() throws IOException {
    Dataset table =
        load(List.of("proto", "port", "service:text"), false, "6,443,https", "17,443,quic").table();
    assertThat(ask(table, "0.0.0.6", 443)).isEqualTo("https");
    assertThat(ask(table, "0.0.0.17", 443)).isEqualTo("quic");
    assertThat(ask(table, "0.0.0.17", 80)).isEqualTo("unknown");
  }

  @Test
  void findsEachOfMany() throws IOException {
    Random random = new Random(3);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      lines.add("10.0.%d.%d,%d,i%d,%d".formatted(i % 7, i % 11, i, i, random.nextInt(5)));
    }
    Dataset table = load(INTERFACES, false, lines.toArray(new String[0])).table();
    for (int i = 0; i < 5_000; i++) {
      assertThat(ask(table, "10.0.%d.%d".formatted(i % 7, i % 11), i)).startsWith("i" + i + "|");
      assertThat(ask(table, "10.0.%d.%d".formatted(i % 7, i % 11), i + 1)).isEqualTo("unknown");
    }
  }

  @Test
  void contentHasAnIdentity() throws IOException {
    long one = load(INTERFACES, false, "192.0.2.1,1,a,1", "192.0.2.1,2,b,1").table().fingerprint();
    assertThat(load(INTERFACES, false, "192.0.2.1,1,a,1", "192.0.2.1,2,b,1").table().fingerprint())
        .isEqualTo(one);
    for (String other : List.of("192.0.2.1,3,b,1", "192.0.2.1,2,c,1", "192.0.2.1,2,b,2")) {
      assertThat(load(INTERFACES, false, "192.0.2.1,1,a,1", other).table().fingerprint())
          .isNotEqualTo(one);
    }
  }

  @Test
  void invalidLinesAreRejectedOrSkipped() throws IOException {
    for (String bad :
        List.of(
            "192.0.2.1,1,again,1",
            "192.0.2,2,a,1",
            "192.0.2.1,-2,a,1",
            "192.0.2.1,,a,1",
            "192.0.2.1,4294967295,a,1",
            "192.0.2.0/24,2,a,1",
            "192.0.2.1,2,a,fast",
            "192.0.2.1,2,a")) {
      String good = "192.0.2.1,1,a,1";
      assertThatThrownBy(() -> load(INTERFACES, false, good, bad))
          .as(bad)
          .isInstanceOf(DatasetException.class)
          .hasMessageContaining("pairs.csv:2");
      PairLoader.LoadedPairs loaded = load(INTERFACES, true, good, bad);
      assertThat(loaded.faults().total()).as(bad).isOne();
      assertThat(ask(loaded.table(), "192.0.2.1", 1)).as(bad).isEqualTo("a|1");
    }
    assertThat(load(INTERFACES, true, "1.1.1.1,1,a,1", "1.1.1.1,1,b,1").faults().counts())
        .containsOnlyKeys(LineFault.OVERLAPPING);
  }

  private static DatasetConfig declared(List<String> columns, Map<String, String> join) {
    return DatasetConfig.parse("pairs", "pair", List.of(Path.of("p.csv")), columns, join, false, 1);
  }

  @Test
  void isJoinedOnColumnsOfItsKeyType() {
    assertThat(declared(INTERFACES, Map.of("in_if", "in_")).joined())
        .extracting(field -> field.columnName())
        .containsExactly("in_name", "in_mbit_s");
    List<String> ports = List.of("proto", "port", "service:text");
    assertThat(declared(ports, Map.of("dst_port", "dst_")).joined()).hasSize(1);
    assertThatThrownBy(() -> declared(INTERFACES, Map.of("dst_port", "dst_")))
        .isInstanceOf(DatasetConfigException.class)
        .hasMessageContaining("in_if, out_if");
    assertThatThrownBy(() -> declared(ports, Map.of("src_addr", "src_")))
        .isInstanceOf(DatasetConfigException.class);
    assertThatThrownBy(() -> declared(List.of("exporter", "port", "a:text"), Map.of()))
        .isInstanceOf(DatasetConfigException.class);
    assertThatThrownBy(() -> declared(List.of("exporter", "interface"), Map.of()))
        .isInstanceOf(DatasetConfigException.class);
  }
}
