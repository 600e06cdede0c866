package io.millrace.engine.checker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * After any failure at any time, the final table is one of a run without failures. For more runs
 * than in the build: {@code -Dmillrace.checker.runs=200000}.
 */
class ExactlyOnceCheckerTest {
  private static final int RUNS =
      Integer.getInteger(
          "millrace.checker.runs",
          Boolean.getBoolean("millrace.long")
              ? 200_000
              : System.getProperty("millrace.full") == null ? 1_000 : 3_000);

  /** The checker must find a broken protocol within this number of runs. */
  private static final int RUNS_TO_BE_CAUGHT = 500;

  @Test
  void everyOutcomeIsOneOfARunWithoutFailure() throws Exception {
    Checker checker = new Checker(Breakage.NONE);
    assertThat(checker.check(RUNS)).isEmpty();
    assertThat(checker.shareWithChoice()).isGreaterThan(0.9);
    assertThat(checker.hasSeenEverything()).as(checker.toString()).isTrue();
    System.out.println("checked " + checker);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aBrokenProtocolIsCaught(Breakage breakage) throws Exception {
    Checker checker = new Checker(breakage);
    assertThat(checker.check(RUNS_TO_BE_CAUGHT)).isPresent();
    System.out.println(breakage + " caught after " + checker);
  }

  @Test
  void aCaseIsTheSameRunEachTime() throws Exception {
    Case one = Case.parse("5/2,1/30-SUM,44-JOB_MANAGER/NONE");
    Simulation.Result first = Simulation.run(one, Scenario.of(one.seed()));
    assertThat(Simulation.run(one, Scenario.of(one.seed()))).isEqualTo(first);
    assertThat(first.attempts()).isGreaterThan(1);
    assertThat(Case.parse(one.toString())).isEqualTo(one);
  }

  @Test
  @EnabledIfSystemProperty(named = "millrace.checker.case", matches = ".+")
  void oneCaseAlone() throws Exception {
    assertThat(Checker.check(Case.parse(System.getProperty("millrace.checker.case")))).isEmpty();
  }
}
