package io.millrace.datasets.mmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.catalog.Datasets;
import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MmdbFileTest {
  @TempDir private Path dir;

  private DatasetConfig config(Path file) {
    return DatasetConfig.parse(
        "geo",
        "range",
        List.of(file),
        List.of("cidr", "country_iso_code:text", "asn:number", "subdivisions_0_iso_code:text"),
        Map.of("src_addr", "src_"),
        false,
        64);
  }

  private static byte[] address(String text) throws IOException {
    byte[] address = InetAddress.getByName(text).getAddress();
    byte[] whole = new byte[16];
    System.arraycopy(address, 0, whole, 16 - address.length, address.length);
    return whole;
  }

  private Path written() throws IOException {
    Path file = dir.resolve("geo.mmdb");
    new MmdbWriter()
        .put(
            address("192.0.2.0"),
            96 + 24,
            Map.of(
                "country", Map.of("iso_code", "DE", "geoname_id", 2_921_044L),
                "asn", 64_500L,
                "subdivisions", List.of(Map.of("iso_code", "BE"))))
        .put(address("198.51.100.128"), 96 + 25, Map.of("country", Map.of("iso_code", "FR")))
        .put(address("2001:db8::"), 32, Map.of("country", Map.of("iso_code", "DE"), "asn", "x"))
        .writeTo(file);
    return file;
  }

  private static String known(Dataset dataset, String address) {
    long[] parts = new long[2];
    assertThat(Addresses.parse(address, parts)).isTrue();
    Lookup lookup = dataset.newLookup();
    int[] record = new int[1];
    lookup.lookup(new long[] {parts[0]}, new long[] {parts[1]}, 1, record);
    String[] values = new String[dataset.fields().size()];
    for (int field = 0; field < values.length; field++) {
      int[] value = new int[1];
      lookup.values(field, record, 1, value);
      values[field] =
          value[0] == Dataset.UNKNOWN
              ? "-"
              : dataset.fields().get(field).isText()
                  ? lookup.text(field, value[0])
                  : Integer.toString(value[0]);
    }
    return String.join(" ", values);
  }

  @Test
  void networksOfBothFamiliesAreFoundWithTheirFields() throws IOException {
    try (Dataset dataset = Datasets.open(config(written()))) {
      assertThat(known(dataset, "192.0.2.0")).isEqualTo("DE 64500 BE");
      assertThat(known(dataset, "192.0.2.255")).isEqualTo("DE 64500 BE");
      assertThat(known(dataset, "192.0.3.0")).isEqualTo("- - -");
      assertThat(known(dataset, "198.51.100.127")).isEqualTo("- - -");
      assertThat(known(dataset, "198.51.100.128")).isEqualTo("FR - -");
      assertThat(known(dataset, "2001:db8:ffff::1")).isEqualTo("DE - -");
      assertThat(known(dataset, "2001:db9::")).isEqualTo("- - -");
      assertThat(known(dataset, "::192.0.2.1")).as("another address").isEqualTo("- - -");
    }
  }

  @Test
  void invalidAndTruncatedFilesAreRejected() throws IOException {
    byte[] sound = Files.readAllBytes(written());
    Path file = dir.resolve("broken.mmdb");
    for (byte[] bytes :
        List.of(
            new byte[0],
            "start,end".getBytes(StandardCharsets.UTF_8),
            Arrays.copyOf(sound, sound.length / 2))) {
      Files.write(file, bytes);
      assertThatThrownBy(() -> Datasets.open(config(file)))
          .isInstanceOf(DatasetException.class)
          .hasMessageContaining("broken.mmdb")
          .hasMessageContaining("MMDB");
    }
  }
}
