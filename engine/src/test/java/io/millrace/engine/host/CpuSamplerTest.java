package io.millrace.engine.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuSamplerTest {
  @TempDir Path proc;

  private long now = 1_000;
  private CpuSampler sampler;

  @BeforeEach
  void makeMachine() throws IOException {
    Files.createDirectories(proc.resolve("sys/kernel/random"));
    Files.writeString(proc.resolve("sys/kernel/random/boot_id"), "5b0c-1\n");
    Files.writeString(proc.resolve("sys/kernel/hostname"), "rack3\n");
    sampler = new CpuSampler(proc, () -> now);
  }

  /**
   * One line of ticks per core: user nice system idle iowait irq softirq steal guest guest_nice.
   */
  private void look(String... cores) throws IOException {
    StringBuilder stat = new StringBuilder("cpu  1 2 3 4 5 6 7 8 9 10\n");
    for (int i = 0; i < cores.length; i++) {
      stat.append("cpu").append(i).append(' ').append(cores[i]).append('\n');
    }
    Files.writeString(proc.resolve("stat"), stat.append("intr 12 0\nctxt 99\n"));
    now += 500;
    sampler.sample();
  }

  @Test
  void aCoreWorksInAllButIdleAndWaitingTime() throws IOException {
    look("100 0 100 1000 50 0 0 0 0 0", "0 0 0 0 0 0 0 0 0 0");
    assertThat(sampler.samples().cores()).containsExactly(List.of(), List.of());
    look("110 5 105 1060 65 2 2 1 10 0", "0 0 0 50 0 0 0 0 0 0");
    HostSamples samples = sampler.samples();
    assertThat(samples.cores()).containsExactly(List.of(0.25), List.of(0.0));
    assertThat(samples.machine()).isEqualTo("5b0c-1");
    assertThat(samples.host()).isEqualTo("rack3");
    assertThat(samples.lastMillis()).isEqualTo(2_000);
    assertThat(samples.intervalMillis()).isEqualTo(500);
  }

  @Test
  void theLastHalfMinuteIsKeptOldestFirst() throws IOException {
    look("0 0 0 0 0 0 0 0");
    for (int i = 1; i <= 70; i++) {
      look(i * (i + 1) / 2 + " 0 0 " + (100 * i - i * (i + 1) / 2) + " 0 0 0 0");
    }
    List<Double> core = sampler.samples().cores().get(0);
    assertThat(core).hasSize(60);
    assertThat(core.get(0)).isCloseTo(0.11, within(1e-9));
    assertThat(core.get(59)).isCloseTo(0.70, within(1e-9));
  }

  @Test
  void ticksThatGoBackwardsAreNoWork() throws IOException {
    look("100 0 0 100 20 0 0 0");
    look("100 0 0 100 19 0 0 0");
    look("100 0 0 108 17 0 0 0");
    assertThat(sampler.samples().cores()).containsExactly(List.of(0.0, 0.0));
  }

  @Test
  void aCoreThatIsSwitchedOnRestartsTheSamples() throws IOException {
    look("0 0 0 0 0 0 0 0");
    look("5 0 0 5 0 0 0 0");
    look("5 0 0 5 0 0 0 0", "1 0 0 1 0 0 0 0");
    assertThat(sampler.samples().cores()).containsExactly(List.of(), List.of());
    look("6 0 0 6 0 0 0 0", "2 0 0 1 0 0 0 0");
    assertThat(sampler.samples().cores()).containsExactly(List.of(0.5), List.of(1.0));
  }

  @Test
  void aMachineWithoutProcHasNoSamples() {
    sampler = new CpuSampler(proc.resolve("nothing"), () -> now);
    sampler.sample();
    assertThat(HostSamples.parse(sampler.samples().toText()))
        .isEqualTo(new HostSamples("?", "?", 0, 500, List.of()));
  }

  @Test
  void samplesAreReadAsTheyWereWritten() {
    HostSamples samples =
        new HostSamples(
            "5b0c-1",
            "rack3",
            1_795_000_000_000L,
            500,
            List.of(List.of(0.0, 0.5, 1.0), List.of(0.335)));
    assertThat(samples.toText()).isEqualTo("1 5b0c-1 rack3 1795000000000 500 0064c8;43");
    assertThat(HostSamples.parse(samples.toText())).isEqualTo(samples);
    assertThatThrownBy(() -> HostSamples.parse("2 something else"))
        .hasMessage("invalid host samples: 2 something else");
  }

  @Test
  void aThousandCoresFitIntoAMetric() throws IOException {
    String[] cores = new String[1_000];
    for (int i = 0; i < 100; i++) {
      java.util.Arrays.fill(cores, i + " 0 0 " + i + " 0 0 0 0");
      look(cores);
    }
    assertThat(sampler.samples().toText().length()).isBetween(58_000, 65_535);
  }
}
