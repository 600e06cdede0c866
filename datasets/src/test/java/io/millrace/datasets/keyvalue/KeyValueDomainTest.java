package io.millrace.datasets.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.TextIds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyValueDomainTest {
  private static final Columns PLAIN = Columns.parse("", List.of("ip", "dns:text"));
  private static final Columns COLUMNS =
      Columns.parse("", List.of("ip", "dns:text", "domain:domain(dns)"));

  @TempDir Path directory;

  /** Around the numbers of domains that need another byte: 255 and 65,535. */
  @ParameterizedTest
  @ValueSource(ints = {1, 254, 255, 256, 65_534, 65_535, 65_536})
  void eachNameHasItsDomain(int count) throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add(address(i) + ",host.d" + i % count + ".example");
    }
    lines.add("192.0.2.1,localhost");
    lines.add("2001:db8::1,v6.D0.example.");
    try (KeyValueDataset set = build(COLUMNS, lines)) {
      set.verify();
      assertThat(set.texts(0)).isEqualTo(count + 2);
      assertThat(set.texts(1)).isEqualTo(count);
      Lookup lookup = set.newLookup();
      int[] records = new int[set.records() + 1];
      for (int i = 0; i < set.records(); i++) {
        records[i] = i;
      }
      records[set.records()] = Dataset.UNKNOWN;
      int[] domains = new int[records.length];
      lookup.values(1, records, records.length, domains);
      assertThat(domains[set.records()]).isEqualTo(Dataset.UNKNOWN);
      for (int i = 0; i < set.records(); i++) {
        String name = lookup.text(0, i);
        if (name.equals("localhost")) {
          assertThat(domains[i]).isEqualTo(Dataset.UNKNOWN);
        } else {
          String domain =
              name.toLowerCase(Locale.ROOT).replaceFirst("^[^.]*\\.", "").replaceFirst("\\.$", "");
          assertThat(lookup.text(1, domains[i])).isEqualTo(domain);
        }
      }
      assertThat(domains).contains(0, count - 1);
    }
  }

  @Test
  void aFileWithoutDomainsIsWhatItWas() throws IOException {
    List<String> lines = List.of("192.0.2.1,a.example.com", "192.0.2.2,b.example.com");
    long plain = fingerprint(PLAIN, lines);
    byte[] header = Files.readAllBytes(directory.resolve("names.mrd"));
    assertThat(header[4]).isEqualTo((byte) 1);
    assertThat(fingerprint(COLUMNS, lines)).isNotEqualTo(plain);
    assertThat(fingerprint(PLAIN, lines)).isEqualTo(plain);
  }

  @Test
  void idsOfDomainsLieInFrontOfThoseOfNames() throws IOException {
    List<String> lines = List.of("192.0.2.1,a.example.com", "192.0.2.2,b.example.org");
    try (KeyValueDataset set = build(COLUMNS, lines)) {
      assertThat(TextIds.base(set, 0)).isEqualTo(TextIds.base(set, 1) + 2);
      assertThat(TextIds.ordinal(TextIds.base(set, 1))).isZero();
      Path file = directory.resolve("names.mrd");
      try (KeyValueDataset names = KeyValueDataset.open("n", file, PLAIN.fields(), 64)) {
        assertThat(TextIds.base(names, 0))
            .as("who wants no domains")
            .isEqualTo(TextIds.base(set, 0));
      }
    }
  }

  @Test
  void nothingHasNoDomains() throws IOException {
    for (List<String> lines : List.of(List.<String>of(), List.of("192.0.2.1,localhost"))) {
      try (KeyValueDataset set = build(COLUMNS, lines)) {
        set.verify();
        assertThat(set.texts(1)).isZero();
        int[] values = {lines.size() - 1};
        set.newLookup().values(1, values, 1, values);
        assertThat(values).containsExactly(Dataset.UNKNOWN);
      }
    }
  }

  private long fingerprint(Columns columns, List<String> lines) throws IOException {
    try (KeyValueDataset set = build(columns, lines)) {
      return set.fingerprint();
    }
  }

  private KeyValueDataset build(Columns columns, List<String> lines) throws IOException {
    Path csv = Files.write(directory.resolve("names.csv"), lines);
    Path file = directory.resolve("names.mrd");
    new KeyValueBuilder(file, columns).build(List.of(csv));
    return KeyValueDataset.open("rdns", file, columns.fields(), 64);
  }

  private static String address(int i) {
    return "10." + (i >>> 16) + "." + (i >>> 8 & 255) + "." + (i & 255);
  }
}
