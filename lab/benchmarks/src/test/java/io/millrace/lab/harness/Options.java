package io.millrace.lab.harness;

import io.millrace.cli.console.EnumWords;
import picocli.CommandLine;

/** Parses options of benchmarks in tests. */
public final class Options {
  private Options() {}

  /** Sets a benchmark's options as its command line does. */
  public static <B extends Benchmark> B of(B benchmark, String... words) {
    CommandLine line = new CommandLine(benchmark);
    EnumWords.register(line);
    line.parseArgs(words);
    return benchmark;
  }
}
