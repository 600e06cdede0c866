package io.millrace.wire.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class FuzzTimeTest {
  private static final Pattern OPTION = Pattern.compile("-D(millrace\\.fuzz\\.\\w+)=(\\d+)");

  @Test
  void aFailureNamesTheCommandThatMeetsItAgain() {
    String first = failure("-Dmillrace.fuzz.seconds=2 -Dmillrace.fuzz.seed=" + System.nanoTime());
    assertThat(first).contains("again: ./millrace test wire -Dtest=FuzzTimeTest -Dmillrace.fuzz.");
    assertThat(failure(first)).isEqualTo(first);
  }

  @Test
  void aFailureOfTheUsualTurnsNeedsNoSeed() {
    assertThat(failure("-Dmillrace.fuzz.seconds=0"))
        .matches(".*turn \\d+ of seed 1; again: ./millrace test wire -Dtest=FuzzTimeTest");
  }

  /** Failure message of a run with the given options. */
  private static String failure(String options) {
    Matcher option = OPTION.matcher(options);
    try {
      while (option.find()) {
        System.setProperty(option.group(1), option.group(2));
      }
      return catchThrowable(() -> FuzzTime.run("some", 1, 100_000, FuzzTimeTest::failAtTimes))
          .getMessage();
    } finally {
      System.clearProperty("millrace.fuzz.seconds");
      System.clearProperty("millrace.fuzz.seed");
    }
  }

  private static void failAtTimes(Random random) {
    assertThat(random.nextInt(1_000)).isPositive();
  }
}
