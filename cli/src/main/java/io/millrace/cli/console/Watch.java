package io.millrace.cli.console;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;

/** Repeated output of a command with {@code --watch}. */
public final class Watch {
  private Watch() {}

  /** One output of the command. */
  @FunctionalInterface
  public interface Once {
    /**
     * Prints the output.
     *
     * @return exit status; a status other than 0 ends the watch
     */
    int print() throws IOException;
  }

  /**
   * Prints repeatedly until the process is stopped, the thread is interrupted, or the output is
   * closed.
   *
   * @param seconds pause between outputs; null for a single output
   * @param out destination
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
        return 0; // interrupted during a request
      }
      throw e;
    }
  }
}
