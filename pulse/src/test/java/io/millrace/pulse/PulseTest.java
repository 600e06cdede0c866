package io.millrace.pulse;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Await;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PulseTest {
  private static List<String> problems(String name) {
    return Pulse.all().stream()
        .filter(pulse -> pulse.name().equals(name))
        .flatMap(pulse -> pulse.problem().stream())
        .toList();
  }

  private static boolean isThere(String name) {
    return Pulse.all().stream().anyMatch(pulse -> pulse.name().equals(name));
  }

  @Test
  void aFailedPartIsListedUntilItStartsAgain() throws InterruptedException {
    Thread thread =
        Pulse.thread(
            "test-dies",
            Duration.ZERO,
            pulse -> {
              throw new AssertionError("broken");
            });
    thread.setUncaughtExceptionHandler((t, e) -> {});
    thread.start();
    thread.join();
    assertThat(problems("test-dies")).hasSize(1).first().asString().contains("broken");
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    Thread again =
        Pulse.thread(
            "test-dies",
            Duration.ZERO,
            pulse -> {
              begun.countDown();
              try {
                end.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    again.start();
    begun.await();
    assertThat(problems("test-dies")).isEmpty();
    assertThat(isThere("test-dies")).isTrue();
    end.countDown();
    again.join();
    assertThat(isThere("test-dies")).isFalse();
  }

  @Test
  void silenceIsAProblemOnlyWithWorkToDo() {
    AtomicBoolean isIdle = new AtomicBoolean();
    Pulse pulse = Pulse.of("test-silent", Duration.ofNanos(1), isIdle::get);
    assertThat(problems("test-silent")).hasSize(1);
    isIdle.set(true);
    assertThat(problems("test-silent")).isEmpty();
    pulse.stop();
    Pulse patient = Pulse.of("test-silent", Duration.ofHours(1), () -> false);
    assertThat(problems("test-silent")).isEmpty();
    patient.stop();
    assertThat(isThere("test-silent")).isFalse();
  }

  @Test
  void aFailedIterationIsAProblemUntilTheNextSuccess() throws Exception {
    ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    Semaphore turns = new Semaphore(0);
    AtomicBoolean isBroken = new AtomicBoolean(true);
    try (PeriodicTask turn =
        new PeriodicTask(
            "test-turn",
            Duration.ZERO,
            () -> {
              turns.release();
              if (isBroken.get()) {
                throw new AssertionError("broken");
              }
            })) {
      var unused = clock.scheduleWithFixedDelay(turn, 0, 1, TimeUnit.MILLISECONDS);
      turns.acquire(3);
      assertThat(problems("test-turn"))
          .containsExactly("test-turn failed; retrying: java.lang.AssertionError: broken");
      isBroken.set(false);
      Await.until("a turn without failure", () -> problems("test-turn").isEmpty());
      assertThat(isThere("test-turn")).isTrue();
    } finally {
      clock.shutdownNow();
    }
    assertThat(isThere("test-turn")).isFalse();
  }

  /** A part that exhausts direct memory, which the JVM's own flag does not detect. */
  static final class WithoutMemory {
    private static final List<ByteBuffer> TAKEN = new ArrayList<>();

    public static void main(String[] arguments) throws InterruptedException {
      Thread part = Pulse.thread("test-greedy", Duration.ZERO, pulse -> takeAll());
      part.start();
      part.join();
    }

    private static void takeAll() {
      while (true) {
        TAKEN.add(ByteBuffer.allocateDirect(64 << 10));
      }
    }
  }

  @Test
  void processWithoutDirectMemoryEndsAndSaysWhy(@TempDir Path dir) throws Exception {
    List<String> options = List.of("-XX:MaxDirectMemorySize=1m", "-XX:+ExitOnOutOfMemoryError");
    try (ChildProcess process =
        ChildProcess.start(
            dir.resolve("out"), ChildProcess.java(options, WithoutMemory.class, List.of()))) {
      int status = process.status();
      assertThat(status).as(process.output()).isEqualTo(3);
      assertThat(process.output())
          .contains("millrace: test-greedy: java.lang.OutOfMemoryError: Cannot reserve")
          .contains("exiting");
    }
  }
}
