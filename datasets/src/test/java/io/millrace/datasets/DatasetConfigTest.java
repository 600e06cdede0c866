package io.millrace.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.datasets.catalog.Datasets;
import io.millrace.datasets.keyvalue.KeyValueBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetConfigTest {
  private static final List<String> AS = List.of("start", "end", "as:number", "as_name:text");
  private static final List<Path> FILES = List.of(Path.of("a.csv"));

  private static final List<String> WITH_DOMAIN = List.of("ip", "dns:text", "domain:domain(dns)");

  @TempDir Path directory;

  @Test
  void namesTheColumnsThatItAdds() {
    Map<String, String> join = new LinkedHashMap<>();
    join.put("src_addr", "src_");
    join.put("dst_addr", "dst_");
    assertThat(parse("asn", "range", FILES, AS, join).joined())
        .extracting(JoinedField::columnName)
        .containsExactly("src_as", "src_as_name", "dst_as", "dst_as_name");
    assertThat(parse("rdns", "keyvalue", FILES, List.of("ip", "dns:text"), join).joined())
        .extracting(JoinedField::columnName)
        .containsExactly("src_dns", "dst_dns");
    assertThat(parse("rdns", "keyvalue", FILES, WITH_DOMAIN, join).joined())
        .extracting(JoinedField::columnName)
        .containsExactly("src_dns", "src_domain", "dst_dns", "dst_domain");
  }

  @Test
  void aThirdSetOfEitherKindIsADeclarationAndNoCode() throws IOException {
    Path csv = Files.writeString(directory.resolve("c.csv"), "192.0.2.0/24,NL\n");
    DatasetConfig country =
        parse("country", "range", List.of(csv), List.of("cidr", "country:text"), Map.of());
    try (Dataset set = Datasets.open(country)) {
      assertThat(set.fields()).containsExactly(Field.text("country"));
      assertThat(set.newLookup().text(0, 0)).isEqualTo("NL");
    }
    Path built = directory.resolve("customers.mrd");
    Files.writeString(csv, "192.0.2.1,x,alice\n");
    List<String> columns = List.of("ip", "_", "customer:text");
    new KeyValueBuilder(built, Columns.parse("", columns)).build(List.of(csv));
    DatasetConfig customer = parse("customer", "keyvalue", List.of(built), columns, Map.of());
    try (Dataset set = Datasets.open(customer)) {
      assertThat(set.name()).isEqualTo("customer");
      assertThat(set.newLookup().text(0, 0)).isEqualTo("alice");
    }
  }

  @Test
  void derivedFieldsAreThereAsFarAsTheFileHasThem() throws IOException {
    Path csv = Files.writeString(directory.resolve("n.csv"), "192.0.2.1,www.a.example\n");
    Path built = directory.resolve("names.mrd");
    DatasetConfig declared = parse("rdns", "keyvalue", List.of(built), WITH_DOMAIN, Map.of());
    assertThat(Datasets.asBuilt(declared)).as("a file that is not there").isEqualTo(declared);
    new KeyValueBuilder(built, Columns.parse("", List.of("ip", "dns:text"))).build(List.of(csv));
    assertThat(Datasets.asBuilt(declared).columns().toString()).isEqualTo("[ip, dns:text]");
    try (Dataset set = Datasets.open(declared)) {
      assertThat(set.fields()).containsExactly(Field.text("dns"));
    }
    new KeyValueBuilder(built, declared.columns()).build(List.of(csv));
    assertThat(Datasets.asBuilt(declared)).isEqualTo(declared);
    try (Dataset set = Datasets.open(declared)) {
      assertThat(set.fields()).containsExactly(Field.text("dns"), Field.text("domain"));
      assertThat(set.newLookup().text(1, 0)).isEqualTo("a.example");
    }
    try (Dataset set = Datasets.open(declared.withoutDerived())) {
      assertThat(set.fields()).containsExactly(Field.text("dns"));
    }
  }

  @Test
  void reportsSkippedLinesOfALenientSet() throws IOException {
    Path csv = Files.writeString(directory.resolve("c.csv"), "192.0.2.0/24,1\n192.0.2.0/99,2\n");
    List<String> columns = List.of("cidr", "customer:number");
    DatasetConfig strict = parse("c", "range", List.of(csv), columns, Map.of());
    assertThatThrownBy(() -> Datasets.open(strict)).hasMessageContaining("c.csv:2: ");
    DatasetConfig lenient =
        DatasetConfig.parse("c", "range", List.of(csv), columns, Map.of(), true, 1);
    List<String> leftOut = new ArrayList<>();
    try (Dataset set = Datasets.open(lenient, faults -> leftOut.addAll(faults.examples()))) {
      assertThat(set.records()).isEqualTo(1);
    }
    assertThat(leftOut).singleElement().asString().contains("c.csv:2: \"192.0.2.0/99\"");
  }

  @Test
  void saysWhereWhatAndWhatIsAllowed() {
    rejects(
        () -> parse("Asn", "range", FILES, AS, Map.of()),
        "datasets: \"Asn\" is not a name; use lower case, digits and _");
    rejects(
        () -> parse("asn", "ranges", FILES, AS, Map.of()),
        "datasets.asn.kind: \"ranges\" is not a kind; expected range, keyvalue, pair, exporter, mac or ixf");
    rejects(
        () -> parse("asn", "range", List.of(), AS, Map.of()),
        "datasets.asn.files: missing, expected at least one file");
    rejects(
        () -> parse("asn", "range", FILES, List.of("start", "end", "as:int"), Map.of()),
        "datasets.asn.columns[2]: \"as:int\" is not a column; expected start, end, cidr, ip,"
            + " exporter, interface, proto, port, mac, vlan, _, NAME:number, NAME:text or NAME:domain(FIELD), with NAME in lower case");
    rejects(
        () -> parse("asn", "range", FILES, List.of("start", "as:number"), Map.of()),
        "datasets.asn.columns: [start, as:number] must have start and end, or cidr");
    rejects(
        () -> parse("asn", "range", FILES, List.of("start", "end", "end"), Map.of()),
        "datasets.asn.columns[2]: \"end\" is a duplicate column");
    rejects(
        () -> parse("rdns", "keyvalue", FILES, List.of("ip", "dns:number"), Map.of()),
        "datasets.rdns.columns: [ip, dns:number] must have exactly one field, NAME:text, in a keyvalue"
            + " set");
    rejects(
        () -> parse("rdns", "keyvalue", FILES, List.of("ip", "domain:domain(dns)"), Map.of()),
        "datasets.rdns.columns[1]: \"dns\" is not a preceding text field, from which domains can be derived");
    rejects(
        () -> parse("r", "keyvalue", FILES, List.of("dns:text", "d:domain(dns)", "ip"), Map.of()),
        "datasets.r.columns[2]: \"ip\" after a derived field; derived fields come last");
    rejects(
        () -> parse("r", "range", FILES, List.of("cidr", "dns:text", "d:domain(dns)"), Map.of()),
        "datasets.r.columns: [cidr, dns:text, d:domain(dns)] derives a field; only a keyvalue"
            + " set can");
    rejects(
        () ->
            parse(
                "r",
                "keyvalue",
                FILES,
                List.of("ip", "dns:text", "a:domain(dns)", "b:domain(dns)"),
                Map.of()),
        "datasets.r.columns: [ip, dns:text, a:domain(dns), b:domain(dns)] derives more than one"
            + " field");
    rejects(
        () -> parse("asn", "range", FILES, AS, Map.of("src", "src_")),
        "datasets.asn.join: \"src\" is not a column of flows; expected exporter,"
            + " src_addr, dst_addr, next_hop, nat_src_addr, nat_dst_addr, agent");
    rejects(
        () -> parse("asn", "range", FILES, AS, Map.of("proto", "x_")),
        "datasets.asn.join: \"proto\" is not a key of this set; expected exporter,"
            + " src_addr, dst_addr, next_hop, nat_src_addr, nat_dst_addr, agent");
    rejects(
        () -> parse("asn", "range", FILES, AS, Map.of("src_addr", "S-")),
        "datasets.asn.join.src_addr: \"S-\" is not a prefix; use lower case, digits and _");
  }

  @Test
  void rejectsTwoColumnsOfOneName() {
    DatasetConfig one = parse("one", "range", FILES, AS, Map.of("src_addr", "src_"));
    DatasetConfig two = parse("two", "range", FILES, AS, Map.of("src_addr", "src_"));
    DatasetConfig.checkTogether(List.of(one));
    rejects(
        () -> DatasetConfig.checkTogether(List.of(one, two)),
        "datasets.two.join.src_addr: the column \"src_as\" comes from datasets.one; choose another"
            + " prefix or name");
    rejects(
        () -> DatasetConfig.checkTogether(List.of(one, one)), "datasets.one: duplicate data set");
    DatasetConfig vlan =
        parse("v", "range", FILES, List.of("cidr", "vlan:number"), Map.of("src_addr", "src_"));
    rejects(
        () -> DatasetConfig.checkTogether(List.of(vlan)),
        "datasets.v.join.src_addr: the column \"src_vlan\" comes from flows; choose"
            + " another prefix or name");
  }

  private static void rejects(ThrowingCallable what, String message) {
    assertThatThrownBy(what).isInstanceOf(DatasetConfigException.class).hasMessage(message);
  }

  private static DatasetConfig parse(
      String name, String kind, List<Path> files, List<String> columns, Map<String, String> join) {
    return DatasetConfig.parse(
        name, kind, files, columns, join, false, DatasetConfig.DEFAULT_HOT_KEYS);
  }
}
