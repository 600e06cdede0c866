package io.millrace.cli.console;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.server.runtime.MillraceConfig;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Prints the startup progress of an instance: a line for each component that is ready. Thread-safe.
 */
public final class Stages implements Consumer<String> {
  private final PrintWriter out;
  private final long started;

  /**
   * Creates an output of progress.
   *
   * @param started {@link System#nanoTime} of the start
   */
  public Stages(PrintWriter out, long started) {
    this.out = out;
    this.started = started;
    out.flush(); // shows lines printed before the first stage
  }

  /** Names of the components that start in this process. */
  public static String parts(MillraceConfig config) {
    String kafka = config.log().embedded() ? "Kafka, " : "";
    String flink = config.job().run() == FlinkConfig.Place.HERE ? "Flink and " : "";
    return kafka + flink + "DuckDB in this process";
  }

  @Override
  public synchronized void accept(String stage) {
    out.printf(Locale.ROOT, "%6.1f s  %s%n", (System.nanoTime() - started) / 1e9, stage);
    out.flush();
  }
}
