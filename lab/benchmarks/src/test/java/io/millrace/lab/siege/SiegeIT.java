package io.millrace.lab.siege;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.traffic.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A short siege: a cheap attack, little load, and an artificial loss that must be detected. */
@EnabledOnOs(OS.LINUX)
class SiegeIT {
  private static final boolean LONG = Boolean.getBoolean("millrace.long");
  private static final List<String> ATTACKS =
      LONG ? List.of("sequences", "times", "garbage") : List.of("garbage");
  private static final int SECONDS = LONG ? 3 : 2;
  private static final int SFLOW_EXPORTER = 0;
  private static final int LOST = 5;
  private static final int ROWS_EACH = 7;

  @TempDir Path directory;

  /** Drops some datagrams of one exporter after the first attack has begun. */
  private static final class LossyWire implements Wire {
    private final Wire sound;
    private final AtomicBoolean isAttacked;
    private int lost;

    LossyWire(Wire sound, AtomicBoolean isAttacked) {
      this.sound = sound;
      this.isAttacked = isAttacked;
    }

    @Override
    public void send(int exporter, byte[] bytes, int offset, int length) throws IOException {
      if (isAttacked.get() && lost < LOST && exporter == SFLOW_EXPORTER) {
        lost++;
      } else {
        sound.send(exporter, bytes, offset, length);
      }
    }
  }

  @Test
  void allLegitimateRowsAreStoredExceptDroppedOnes() throws Exception {
    List<Figure> figures = new ArrayList<>();
    AtomicBoolean isAttacked = new AtomicBoolean();
    BenchContext context =
        BenchContext.of(directory, figures::add)
            .withProgress(
                line -> isAttacked.compareAndSet(false, line.startsWith(ATTACKS.get(0) + " for ")));
    String missed = missed(context, isAttacked);
    assertThat(missed).contains("lost_rows"); // and times, on a busy machine
    List<Figure> lost = figures.stream().filter(f -> f.metric().equals("lost_rows")).toList();
    assertThat(lost)
        .extracting(f -> f.params().get("attack"))
        .containsExactlyElementsOf(Stream.concat(Stream.of("quiet"), ATTACKS.stream()).toList());
    assertThat(lost.stream().mapToDouble(Figure::value).sum()).isEqualTo(LOST * ROWS_EACH);
    assertThat(lost).filteredOn(f -> f.value() > 0).hasSize(1);
    assertThat(lost).allSatisfy(f -> assertThat((long) f.params().get("stored")).isPositive());
  }

  private static String missed(BenchContext context, AtomicBoolean isAttacked) throws Exception {
    try {
      List<String> options = new ArrayList<>(List.of("--rate", "1500", "--seed", "7"));
      options.addAll(List.of("--seconds", Integer.toString(SECONDS)));
      ATTACKS.forEach(attack -> options.addAll(List.of("--attack", attack)));
      SiegeBenchmark siege = new SiegeBenchmark(wire -> new LossyWire(wire, isAttacked));
      Options.of(siege, options.toArray(String[]::new)).run(context);
      return "";
    } catch (WrongResultException e) {
      return e.getMessage();
    }
  }
}
