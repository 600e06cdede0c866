package io.millrace.traffic.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class AliasTableTest {
  @Test
  void drawsByWeight() {
    double[] weights = {5, 0, 1, 3, 0.5, 0.5};
    AliasTable table = new AliasTable(weights);
    SplitMix random = new SplitMix(1);
    int[] counts = new int[weights.length];
    for (int i = 0; i < 1_000_000; i++) {
      counts[table.draw(random)]++;
    }
    for (int i = 0; i < weights.length; i++) {
      assertThat(counts[i] / 1e6).isCloseTo(weights[i] / 10, within(0.002));
    }
    assertThat(counts[1]).isLessThan(10); // a threshold of 0 is hit once in 2³¹ draws of its column
  }

  @Test
  void firstOfZipfHasOneOverTheHarmonicNumber() {
    AliasTable table = AliasTable.zipf(1000, 1.0);
    SplitMix random = new SplitMix(2);
    int first = 0;
    for (int i = 0; i < 1_000_000; i++) {
      first += table.draw(random) == 0 ? 1 : 0;
    }
    assertThat(first / 1e6).isCloseTo(1 / 7.4855, within(0.002));
  }
}
