package io.millrace.lab.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** One case on a small cluster: a TaskManager is killed; no row is missing or duplicate. */
class RecoveryBenchmarkIT {
  private static final int SAMPLES_PER_SECOND = 4_000;

  @TempDir Path directory;

  /** SubmitIT tests the guarantee itself. */
  @Test
  @EnabledIfSystemProperty(named = "millrace.long", matches = "true")
  void aKilledTaskManagerDoesNotChangeTheTable() throws Exception {
    List<Figure> figures = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    String[] options = {"--seconds", "1", "--rate", "4000", "--seed", "1", "--case", "taskmanager"};
    Options.of(new RecoveryBenchmark(1, 1), options)
        .run(BenchContext.of(directory, figures::add).withLines(lines::add));
    assertThat(lines).anyMatch(line -> line.startsWith("kill a TaskManager"));
    assertThat(figures)
        .extracting(Figure::metric)
        .containsExactly("output_again_s", "caught_up_s", "wrong_rows");
    assertThat(figures.get(0).params()).containsKeys("detect_s", "deploy_s", "restart_s");
    assertThat(figures.get(2).value()).as(lines.toString()).isZero();
    assertThat((Long) figures.get(2).params().get("rows")).isGreaterThan(SAMPLES_PER_SECOND);
  }
}
