package io.millrace.cli.console;

import java.io.IOException;
import java.io.PrintWriter;
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
   * Prints until the process is asked to end, the thread is interrupted, or nobody can read it.
   *
   * @param seconds the pause between; null for once
   * @param out what is printed to
   * @return exit status
   */
  public static int every(Integer seconds, PrintWriter out, Once once) throws IOException {
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
      } while (status == 0 && !out.checkError() && !stopper.await(Duration.ofSeconds(seconds)));
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
