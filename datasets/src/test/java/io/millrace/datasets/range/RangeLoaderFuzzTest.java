package io.millrace.datasets.range;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.datasets.Columns;
import io.millrace.datasets.DatasetException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** Arbitrary bytes: a lenient loader builds a table, a strict one reports the error. */
class RangeLoaderFuzzTest {
  private static final Columns COLUMNS =
      Columns.parse("", List.of("start", "end", "as:number", "as_name:text"));

  @Property(tries = 300)
  void takesAnyBytes(@ForAll @Size(max = 300) byte[] bytes) throws IOException {
    load(bytes);
  }

  @Property(tries = 1000)
  void takesAnyMixtureOfPieces(@ForAll("pieces") String text) throws IOException {
    load(text.getBytes(StandardCharsets.UTF_8));
  }

  @Provide
  Arbitrary<String> pieces() {
    return Arbitraries.of(
            "1.0.0.0",
            "1.0.0.255",
            "2001::",
            "::",
            "16777216",
            "AS1 x",
            "AS",
            "7",
            "-",
            ",",
            ",",
            ",",
            "\"",
            "\n",
            "\n",
            "\r\n",
            "#",
            " ",
            "é",
            "255.255.255.255",
            "x")
        .list()
        .ofMaxSize(40)
        .map(pieces -> String.join("", pieces));
  }

  private static void load(byte[] bytes) throws IOException {
    Path file = Files.createTempFile("any", ".csv");
    try {
      Files.write(file, bytes);
      RangeLoader.LoadedRanges loaded = RangeLoader.load("any", List.of(file), COLUMNS, true);
      assertThat(loaded.ranges()).isLessThanOrEqualTo(bytes.length);
      int[] records = new int[2];
      loaded
          .table()
          .newLookup()
          .lookup(new long[] {0, 1}, new long[] {0xFFFF_0100_0000L, 1}, 2, records);
      for (int record : records) {
        assertThat(record).isLessThan(loaded.table().records());
      }
      try {
        RangeLoader.load("any", List.of(file), COLUMNS, false);
        assertThat(loaded.faults().total()).isZero();
      } catch (DatasetException e) {
        assertThat(e.line()).isPositive();
        assertThat(loaded.faults().total()).isPositive();
      }
    } finally {
      Files.delete(file);
    }
  }
}
