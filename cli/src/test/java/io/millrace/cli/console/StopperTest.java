package io.millrace.cli.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A signal closes the resources of a process before any shutdown hook runs. */
class StopperTest {
  /** A process with a resource, a hook as libraries have them, and a last action. */
  static final class Resource {
    private Resource() {}

    public static void main(String[] arguments) throws InterruptedException {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
      try (Stopper stopper = new Stopper(() -> System.out.println("last"));
          AutoCloseable resource = () -> System.out.println("closed")) {
        System.out.println("open");
        assertThat(stopper.await(Duration.ofMinutes(1))).isTrue();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      System.exit(0);
    }
  }

  /** SIGINT and SIGHUP may be ignored in the environment of the tests, and then in the process. */
  @Test
  void resourcesAreClosedBeforeHooksRun() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Resource.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      assertThat(output.readLine()).isEqualTo("open");
      assertThat(process.toHandle().destroy()).isTrue();
      assertThat(output.readLine()).isEqualTo("closed");
      assertThat(List.of(output.readLine(), output.readLine()))
          .containsExactlyInAnyOrder("hook", "last");
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
