package io.millrace.lab.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

class ProfileTest {
  @TempDir private Path directory;

  private static void assertDrawing(String svg) throws Exception {
    var unused =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(svg)));
  }

  @Test
  void parsesTimeAndCoreOfAnyName() {
    String behind =
        "S 1 1 1 0 -1 4194304 0 0 0 0 70 5 0 0 20 0 1 0 100 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 3 1 0 0";
    assertThat(ThreadTimes.Time.parse("12 (a) (b c) " + behind))
        .contains(new ThreadTimes.Time("a) (b c", 75, 1));
    assertThat(ThreadTimes.Time.parse("")).isEqualTo(Optional.empty());
    assertThat(ThreadTimes.Time.parse("12 (a) S 1")).isEmpty();
  }

  @Test
  void meanAndVariationAreOverTime() {
    Usage usage = new Usage(2);
    usage.look();
    usage.add("a", "worker-1", 0, 0.5, 0.25);
    usage.add("b", "worker-1", 0, 0.5, 0.25);
    usage.look();
    usage.add("a", "worker-2", 1, 0.5, 0.25);
    usage.look();
    assertThat(usage.ofCore(0).mean()).isCloseTo(1 / 3.0, within(1e-9));
    assertThat(usage.ofCore(0).variation()).isCloseTo(Math.sqrt(2), within(1e-9));
    assertThat(usage.ofProcess("a").mean()).isCloseTo(1 / 3.0, within(1e-9));
    assertThat(usage.placement(1).get(0).getValue()).containsExactly(0.25, 0.25);
  }

  @Test
  void listsTheBusiestThreadsOfEachProcess() {
    Usage usage = new Usage(1);
    usage.look();
    usage.add("a", "worker-1", 0, 0.5, 3);
    usage.add("a", "worker-2", 0, 0.5, 3);
    usage.add("a", "other", 0, 0.5, 5);
    usage.add("a", "third", 0, 0.5, 4);
    usage.add("b", "idle", 0, 0, 0.1);
    assertThat(usage.placement(2))
        .extracting(thread -> thread.getKey())
        .containsExactly("a: worker", "a: other", "b: idle");
  }

  @Test
  void flamesAreAsWideAsTheirSamples() throws Exception {
    FlameGraph flame = new FlameGraph(moment -> true);
    flame.add(List.of("p", "A.main", "A.<init>"));
    flame.add(List.of("p", "A.main", "B.b"));
    assertThat(flame.samples()).isEqualTo(2);
    assertDrawing(flame.svg("a & b"));
    assertThat(flame.svg("t")).contains("A.main: 2").contains("A.&lt;init&gt;: 1");
  }

  /** If other processes occupy both cores, the sampler may not run for seconds. */
  @Test
  void drawsTheUseOfThisProcess() throws Exception {
    String flame = "";
    for (int seconds = 2; seconds <= 32 && !flame.contains("ProfileTest.work"); seconds *= 2) {
      List<Path> files;
      try (Profile profile = new Profile("test", directory, directory)) {
        assertThat(Profile.environment(directory, "x")).hasSize(2);
        work(seconds);
        files = profile.write();
      }
      assertThat(Profile.environment(directory, "x")).isEmpty();
      assertThat(files).hasSize(2);
      for (Path file : files) {
        assertDrawing(Files.readString(file));
      }
      assertThat(Files.readString(files.get(0))).contains("bench " + ProcessHandle.current().pid());
      flame = Files.readString(files.get(1));
    }
    assertThat(flame).contains("ProfileTest.work");
  }

  private static void work(int seconds) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    double sum = 0;
    while (System.nanoTime() < end) {
      sum += Math.sqrt(sum + 1);
    }
    assertThat(sum).isPositive();
  }

  /** As in a run that ended after its preparation, before the measurement. */
  @Test
  void doesNotDrawEventsBeforeTheBegin() throws Exception {
    try (Profile profile = new Profile("test", directory, directory)) {
      assertThat(Profile.isOn()).isTrue();
      Profile.begin();
      Profile.end();
      var unused =
          Files.writeString(directory.resolve("broken.jfr"), "of a process that was killed");
      List<Path> files = profile.write();
      assertThat(Files.readString(files.get(0)))
          .contains("core 0: mean 0%")
          .doesNotContain("bench " + ProcessHandle.current().pid());
      assertThat(Files.readString(files.get(1))).contains("without 1 processes, 0 samples");
    }
    assertThat(Profile.isOn()).isFalse();
  }
}
