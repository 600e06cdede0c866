package io.millrace.datasets.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.datasets.Field;
import io.millrace.datasets.Lookup;
import io.millrace.testing.SyntheticNames;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files written by a release must be readable by all later ones. A golden file has the first names
 * of {@link SyntheticNames}; a new version of the layout adds a file and keeps the old ones.
 */
class KeyValueGoldenTest {
  private static final int NAMES = 700;
  private static final long FINGERPRINT = -6975613460700974207L;

  @TempDir Path directory;

  @Test
  void readsVersion1() throws IOException {
    Path file = directory.resolve("names-v1.mrd");
    try (InputStream golden = KeyValueGoldenTest.class.getResourceAsStream("names-v1.mrd")) {
      Files.copy(golden, file);
    }
    try (KeyValueDataset set = KeyValueDataset.open("rdns", file, List.of(Field.text("dns")), 64)) {
      set.verify();
      assertThat(set.records()).isEqualTo(NAMES);
      assertThat(set.fingerprint()).isEqualTo(FINGERPRINT);
      long[] high = new long[NAMES];
      long[] low = new long[NAMES];
      for (int i = 0; i < NAMES; i++) {
        high[i] = SyntheticNames.high(i);
        low[i] = SyntheticNames.low(i);
      }
      int[] records = new int[NAMES];
      Lookup lookup = set.newLookup();
      lookup.lookup(high, low, NAMES, records);
      for (int i = 0; i < NAMES; i++) {
        assertThat(lookup.text(0, records[i])).isEqualTo(SyntheticNames.name(i));
      }
    }
  }
}
