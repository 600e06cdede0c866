package io.millrace.cli.console;

import java.io.IOException;
import java.time.Duration;

/** What a command prints again and again where {@code --watch} asks for it. */
public final class Watch {
  private Watch() {}

  /** Prints it once. */
  @FunctionalInterface
  public interface Once {
    /**
     * Prints it.
     *
     * @return exit status; another than 0 ends the watch
     */
    int print() throws IOException;
  }

  /**
   * Prints until the process is asked to end, or the thread is interrupted.
   *
   * @param seconds the pause between; null for once
   * @return exit status
   */
  public static int every(Integer seconds, Once once) throws IOException {
    if (seconds == null) {
      return once.print();
    }
    if (seconds < 1) {
      throw new UsageException("--watch " + seconds + ": at least 1 second");
    }
    try (Stopper stopper = new Stopper()) {
      int status;
      do {
        status = once.print();
      } while (status == 0 && !stopper.await(Duration.ofSeconds(seconds)));
      return status;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    } catch (IOException e) {
      if (Thread.currentThread().isInterrupted()) {
        return 0; // while it asked
      }
      throw e;
    }
  }
}
