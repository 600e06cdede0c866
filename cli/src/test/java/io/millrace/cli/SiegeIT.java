package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.bench.BenchContext;
import io.millrace.bench.Figure;
import io.millrace.bench.WrongResultException;
import io.millrace.bench.siege.SiegeBenchmark;
import io.millrace.traffic.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The siege in short: cheap attacks, little load, and a loss of our own making that must be seen.
 */
@EnabledOnOs(OS.LINUX)
class SiegeIT {
  private static final List<String> ATTACKS = List.of("sequences", "times", "garbage");
  private static final int SECONDS = 3;
  private static final double SAMPLES_PER_SECOND = 3_000;
  private static final int FIRST_LOST = 1_200; // behind the warm-up, which is as long as a phase
  private static final int SFLOW_EXPORTER = 0;
  private static final int LOST = 5;
  private static final int ROWS_EACH = 7;

  @TempDir Path directory;

  /** Loses some datagrams of one exporter on their way. */
  private static final class Losing implements Wire {
    private final Wire sound;
    private int datagrams;
    private int lost;

    Losing(Wire sound) {
      this.sound = sound;
    }

    @Override
    public void send(int exporter, byte[] bytes, int offset, int length) throws IOException {
      if (++datagrams > FIRST_LOST && lost < LOST && exporter == SFLOW_EXPORTER) {
        lost++;
      } else {
        sound.send(exporter, bytes, offset, length);
      }
    }
  }

  @Test
  void everyLegitimateRowIsThereButThoseThatWereTakenOnTheWay() throws Exception {
    List<Figure> figures = new ArrayList<>();
    BenchContext context =
        new BenchContext(
            directory,
            0,
            0,
            SECONDS,
            SAMPLES_PER_SECOND,
            List.of(),
            List.of(),
            ATTACKS,
            7,
            List.of(),
            figures::add,
            line -> {},
            line -> {});
    String missed = missed(context);
    assertThat(missed).contains("lost_rows"); // and times, on a machine that does other things too
    List<Figure> lost = figures.stream().filter(f -> f.metric().equals("lost_rows")).toList();
    assertThat(lost)
        .extracting(f -> f.params().get("attack"))
        .containsExactly("quiet", "sequences", "times", "garbage");
    assertThat(lost.stream().mapToDouble(Figure::value).sum()).isEqualTo(LOST * ROWS_EACH);
    assertThat(lost).filteredOn(f -> f.value() > 0).hasSize(1);
    assertThat(lost).allSatisfy(f -> assertThat((long) f.params().get("stored")).isPositive());
  }

  private static String missed(BenchContext context) throws Exception {
    try {
      new SiegeBenchmark(Losing::new).run(context);
      return "";
    } catch (WrongResultException e) {
      return e.getMessage();
    }
  }
}
