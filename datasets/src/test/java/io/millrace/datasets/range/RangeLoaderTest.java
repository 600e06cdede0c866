package io.millrace.datasets.range;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.csv.LineFault;
import io.millrace.datasets.range.RangeLoader.LoadedRanges;
import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RangeLoaderTest {
  private static final List<String> AS = List.of("start", "end", "as:number", "as_name:text");

  @TempDir Path directory;

  @Test
  void readsIntegersWithNumberAndNameInOneColumn() throws IOException {
    Dataset table =
        load(AS, "16777216,16777471,\"AS13335 Cloudflare, Inc.\"\n16778240,16779263,AS38803\n");
    assertThat(ask(table, "1.0.0.1")).isEqualTo("13335|Cloudflare, Inc.");
    assertThat(ask(table, "1.0.7.255")).isEqualTo("38803|");
    assertThat(ask(table, "1.0.1.0")).isEqualTo("unknown");
  }

  @Test
  void readsAddressesWithNumberAndName() throws IOException {
    Dataset table =
        load(
            AS,
            """
            start_ip,end_ip,asn,name
            1.0.0.0,1.0.0.255,13335,"Cloudflare, Inc."
            # IPv6 too
            2001:db8::,2001:db8:0:ffff:ffff:ffff:ffff:ffff,AS64496,
            """);
    assertThat(ask(table, "1.0.0.255")).isEqualTo("13335|Cloudflare, Inc.");
    assertThat(ask(table, "2001:db8::7")).isEqualTo("64496|");
    assertThat(ask(table, "2001:db8:1::")).isEqualTo("unknown");
  }

  @Test
  void readsBlocksAndSingleAddresses() throws IOException {
    Dataset table =
        load(
            List.of("cidr", "customer:text"),
            "192.0.2.0/24,one\n198.51.100.7,two\n2001:db8::/32,three\n::ffff:203.0.113.0/120,four\n");
    assertThat(ask(table, "192.0.2.255")).isEqualTo("one");
    assertThat(ask(table, "198.51.100.7")).isEqualTo("two");
    assertThat(ask(table, "198.51.100.8")).isEqualTo("unknown");
    assertThat(ask(table, "2001:db8:ffff::1")).isEqualTo("three");
    assertThat(ask(table, "203.0.113.9")).isEqualTo("four");
  }

  @Test
  void leavesColumnsOutThatAreNotUsed() throws IOException {
    Dataset table =
        load(List.of("_", "start", "end", "_", "code:text"), "x,1.0.0.0,1.0.0.9,y,DE\n");
    assertThat(ask(table, "1.0.0.5")).isEqualTo("DE");
  }

  @Test
  void readsSeveralFilesPlainAndGzip() throws IOException {
    Path plain = Files.writeString(directory.resolve("a.csv"), "1.0.0.0,1.0.0.9,1,one\n");
    Path gzip = directory.resolve("b.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(gzip))) {
      out.write("2001::,2001::ffff,2,two\n".getBytes(StandardCharsets.UTF_8));
    }
    LoadedRanges loaded = RangeLoader.load("x", List.of(plain, gzip), Columns.parse("", AS), false);
    assertThat(loaded.ranges()).isEqualTo(2);
    assertThat(ask(loaded.table(), "1.0.0.3")).isEqualTo("1|one");
    assertThat(ask(loaded.table(), "2001::1")).isEqualTo("2|two");
  }

  @Test
  void rangesOfOneNetworkShareTheirRecordAndText() throws IOException {
    Dataset table =
        load(AS, "1.0.0.0,1.0.0.9,1,one\n2.0.0.0,2.0.0.9,1,one\n3.0.0.0,3.0.0.9,2,one\n");
    assertThat(table.records()).isEqualTo(2);
    assertThat(table.texts(0)).isZero();
    assertThat(table.texts(1)).isEqualTo(1);
  }

  @Test
  void fingerprintFollowsFromTheContent() throws IOException {
    String text = "1.0.0.0,1.0.0.9,1,one\n2.0.0.0,2.0.0.9,2,two\n";
    long fingerprint = load(AS, text).fingerprint();
    assertThat(load(AS, text).fingerprint()).isEqualTo(fingerprint);
    assertThat(load(AS, text.replace("two", "six")).fingerprint()).isNotEqualTo(fingerprint);
    assertThat(load(AS, text.replace("2.0.0.9", "2.0.0.8")).fingerprint())
        .isNotEqualTo(fingerprint);
  }

  @Test
  void namesLineAndFault() {
    rejects(
        "1.0.0.0,1.0.0.9,1,one\n1.0.0.256,1.0.1.0,1,one\n", ":2: \"1.0.0.256\" is not an address");
    rejects("1.0.0.9,1.0.0.0,1,one\n", ":1: range 1.0.0.9 to 1.0.0.0: start is greater than end");
    rejects(
        "1.0.0.0,2001::,1,one\n",
        ":1: range 1.0.0.0 to 2001::: start is greater than end, or mixed");
    rejects(
        "\n1.0.0.0,1.0.0.9\n", ":2: 2 columns; expected 4: [start, end, as:number, as_name:text]");
    rejects("1.0.0.0,1.0.0.9,x,one\n", ":1: \"x\" in column as is not a number");
    rejects("1.0.0.0,1.0.0.9,4294967295,one\n", ":1: \"4294967295\" in column as");
    rejects("1.0.0.0,1.0.0.9,1,\"one\n", ":1: unclosed quote");
    rejects(
        "1.0.0.0,1.0.0.9,1,one\n5.0.0.0,5.0.0.9,5,five\n1.0.0.9,1.0.0.20,2,two\n",
        ":3: 1.0.0.9 to 1.0.0.20 overlaps 1.0.0.0 to 1.0.0.9 of x.csv:1");
    rejects(
        "1.0.0.0,1.0.0.9,1,one\n1.0.0.0,1.0.0.9,2,two\n",
        ":2: 1.0.0.0 to 1.0.0.9 duplicates x.csv:1");
    assertThatThrownBy(() -> load(List.of("cidr", "c:text"), "192.0.2.1/24,x\n"))
        .hasMessageContaining(":1: \"192.0.2.1/24\" has host bits set");
    assertThatThrownBy(() -> load(List.of("cidr", "c:text"), "192.0.2.0/33,x\n"))
        .hasMessageContaining(":1: \"192.0.2.0/33\" has an invalid prefix length");
  }

  private void rejects(String csv, String message) {
    assertThatThrownBy(() -> load(AS, csv))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("x.csv" + message);
  }

  @Test
  void lenientSkipsAndCounts() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("x.csv"),
            """
                1.0.0.0,1.0.0.9,1,one
                nonsense.,1.0.0.9,1,one
                1.0.0.9,1.0.0.20,2,two
                1.0.0.0,1.0.0.9,2,two
                7.0.0.9,7.0.0.1,2,two
                8.0.0.0,8.0.0.1,-2,two
                9.0.0.0
                10.0.0.0,10.0.0.9,10,ten
                """);
    LoadedRanges loaded = RangeLoader.load("x", List.of(file), Columns.parse("", AS), true);
    assertThat(loaded.ranges()).isEqualTo(2);
    assertThat(loaded.table().entries()).isEqualTo(2);
    assertThat(loaded.faults().total()).isEqualTo(6);
    assertThat(loaded.faults().counts())
        .isEqualTo(
            Map.of(
                LineFault.ADDRESS, 1L,
                LineFault.OVERLAPPING, 2L,
                LineFault.REVERSED, 1L,
                LineFault.NUMBER, 1L,
                LineFault.COLUMNS, 1L));
    assertThat(loaded.faults().examples()).hasSize(6).first().asString().contains("x.csv:2: ");
    assertThat(ask(loaded.table(), "1.0.0.9")).isEqualTo("1|one");
    assertThat(ask(loaded.table(), "1.0.0.10")).isEqualTo("unknown");
  }

  @Test
  void theInnermostOfNestedPrefixesHolds() throws IOException {
    Dataset table =
        load(
            List.of("cidr", "c:text"),
            """
            2001:db8::/32;site
            10.1.2.0/24;room
            10.0.0.0/8;all, and more
            0.0.0.0/0;world
            10.1.0.0/16;house
            10.1.0.0/24;cellar
            10.1.2.255/32;door
            2001:db8:0:1::/64;lab
            """);
    assertThat(table.entries()).isEqualTo(8);
    assertThat(ask(table, "9.255.255.255")).isEqualTo("world");
    assertThat(ask(table, "10.0.0.0")).isEqualTo("all, and more");
    assertThat(ask(table, "10.1.0.0")).isEqualTo("cellar");
    assertThat(ask(table, "10.1.1.0")).isEqualTo("house");
    assertThat(ask(table, "10.1.2.0")).isEqualTo("room");
    assertThat(ask(table, "10.1.2.255")).isEqualTo("door");
    assertThat(ask(table, "10.1.3.0")).isEqualTo("house");
    assertThat(ask(table, "10.2.0.0")).isEqualTo("all, and more");
    assertThat(ask(table, "255.255.255.255")).isEqualTo("world");
    assertThat(ask(table, "2001:db8:0:1::5")).isEqualTo("lab");
    assertThat(ask(table, "2001:db8:0:2::")).isEqualTo("site");
    assertThat(ask(table, "2001:db9::")).isEqualTo("unknown");
  }

  @Test
  void coversTheEndsOfBothFamilies() throws IOException {
    Dataset table = load(List.of("cidr", "c:text"), "0.0.0.0/0,four\n::/0,six\n");
    assertThat(ask(table, "0.0.0.0")).isEqualTo("four");
    assertThat(ask(table, "255.255.255.255")).isEqualTo("four");
    assertThat(ask(table, "::")).isEqualTo("six");
    assertThat(ask(table, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe")).isEqualTo("six");
    int[] records = new int[1];
    table.newLookup().lookup(new long[] {Addresses.NULL}, new long[] {Addresses.NULL}, 1, records);
    assertThat(records[0]).isEqualTo(Dataset.UNKNOWN);
  }

  @Test
  void loadsTheRealTableIntoThirtyTwoMebibytes() throws IOException {
    Path data = Path.of(System.getProperty("millrace.shared", "../../shared"), "data");
    assumeThat(data.resolve("asn-ipv4.csv.gz")).as("shared data is not here").exists();
    List<Path> files = List.of(data.resolve("asn-ipv4.csv.gz"), data.resolve("asn-ipv6.csv.gz"));
    Columns columns = Columns.parse("", AS);
    assertThatThrownBy(() -> RangeLoader.load("asn", files, columns, false))
        .hasMessageContaining("asn-ipv4.csv.gz:399116: 215.0.0.0 to 215.1.3.255 overlaps");
    LoadedRanges loaded = RangeLoader.load("asn", files, columns, true);
    assertThat(loaded.ranges()).isEqualTo(411_961 + 103_197 - 1);
    assertThat(loaded.faults().counts()).isEqualTo(Map.of(LineFault.OVERLAPPING, 1L));
    assertThat(loaded.table().heapBytes()).isLessThanOrEqualTo(32L << 20);
    assertThat(ask(loaded.table(), "1.0.0.1")).isEqualTo("13335|Cloudflare, Inc.");
    assertThat(ask(loaded.table(), "1.0.1.1")).isEqualTo("unknown");
    assertThat(ask(loaded.table(), "1.0.16.77")).isEqualTo("2519|ARTERIA Networks Corporation");
    assertThat(ask(loaded.table(), "2001::1")).isEqualTo("6939|Hurricane Electric LLC");
    assertThat(ask(loaded.table(), "2001:4:112:ffff::")).isEqualTo("112|DNS-OARC");
    assertThat(ask(loaded.table(), "2001:200::1")).isEqualTo("2500|WIDE Project");
  }

  private Dataset load(List<String> columns, String csv) throws IOException {
    Path file = Files.writeString(directory.resolve("x.csv"), csv);
    return RangeLoader.load("x", List.of(file), Columns.parse("", columns), false).table();
  }

  private static String ask(Dataset table, String address) {
    long[] parsed = new long[2];
    assertThat(Addresses.parse(address, parsed)).isTrue();
    Lookup lookup = table.newLookup();
    int[] record = new int[1];
    lookup.lookup(new long[] {parsed[0]}, new long[] {parsed[1]}, 1, record);
    if (record[0] == Dataset.UNKNOWN) {
      return "unknown";
    }
    StringBuilder text = new StringBuilder();
    for (int field = 0; field < table.fields().size(); field++) {
      int[] value = new int[1];
      lookup.values(field, record, 1, value);
      text.append(field > 0 ? "|" : "");
      if (value[0] != Dataset.UNKNOWN) {
        text.append(
            table.fields().get(field).isText() ? lookup.text(field, value[0]) : value[0] + "");
      }
    }
    return text.toString();
  }
}
