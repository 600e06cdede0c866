package io.millrace.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** A property of the same name has the same values in every run. */
class SeededPropertiesTest {
  private static final int TRIES = 50;
  private static final int TRIES_SHORT = 13;
  private static final List<Long> MET = new ArrayList<>();

  @BeforeContainer
  static void nothingMet() {
    MET.clear();
  }

  @Property(tries = TRIES, edgeCases = EdgeCasesMode.NONE)
  void valuesFollowFromTheName(@ForAll long value) {
    MET.add(value);
  }

  @AfterContainer
  static void theyWereTheSame() {
    if (Boolean.getBoolean("millrace.long")) {
      assertThat(MET).hasSizeGreaterThan(TRIES);
    } else if (System.getProperty("millrace.seed") == null
        && System.getProperty("millrace.tries") == null) {
      assertThat(MET).hasSize(System.getProperty("millrace.full") == null ? TRIES_SHORT : TRIES);
      assertThat(MET.get(0)).isEqualTo(-2_341_456_261L);
    }
  }
}
