package io.millrace.cli.console;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.server.runtime.MillraceConfig;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.Consumer;

/** What of an instance is ready while it starts, a line each. Thread-safe. */
public final class Stages implements Consumer<String> {
  private final PrintWriter out;
  private final long started;

  /**
   * Lines on an output.
   *
   * @param started {@link System#nanoTime} of the start
   */
  public Stages(PrintWriter out, long started) {
    this.out = out;
    this.started = started;
    out.flush(); // what was printed before the first of them
  }

  /** What is about to start in this process. */
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
