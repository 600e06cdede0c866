package io.millrace.lab.topn;

import io.millrace.lab.rivals.PythonEnvironment;
import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * ClickHouse's engine, from the Python package {@code chdb} in its own environment, which is
 * created if missing and kept for the next run. The rows are loaded into a MergeTree table ordered
 * by time, and each query is warmed up.
 */
final class Chdb {
  private static final Duration PATIENCE = Duration.ofMinutes(15);
  private static final String SCRIPT =
      """
      import sys, time
      from chdb import session
      parquet, directory, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
      s = session.Session(directory)
      s.query("CREATE DATABASE d")
      s.query(f"CREATE TABLE d.flows ENGINE=MergeTree ORDER BY time AS SELECT * FROM file('{parquet}', 'Parquet')"
              " SETTINGS schema_inference_make_columns_nullable=0")
      s.query("OPTIMIZE TABLE d.flows FINAL")
      for line in open(sys.argv[4]):
          name, sql = line.rstrip("\\n").split("\\t")
          times = []
          for i in range(rounds + 2):
              start = time.perf_counter()
              str(s.query(sql, "TabSeparated"))
              times.append((time.perf_counter() - start) * 1000)
          print("latency", name, sorted(times[2:])[rounds // 2], flush=True)
      """;

  private final Path directory;

  Chdb(Path directory) {
    this.directory = directory;
  }

  /**
   * Measures the median latency of each query, in milliseconds.
   *
   * @param parquet file of rows
   * @param queries over {@code d.flows}, by name
   * @throws IOException if Python or the package is not available, with the reason
   */
  Map<String, Double> latencies(Path parquet, Map<String, String> queries, int rounds)
      throws IOException {
    Path python = PythonEnvironment.python("chdb", List.of("chdb"), directory.resolve("pip.log"));
    List<String> lines = new ArrayList<>();
    queries.forEach((name, sql) -> lines.add(name + "\t" + sql));
    Path list = Files.write(directory.resolve("queries.txt"), lines);
    Path script = Files.writeString(directory.resolve("topn.py"), SCRIPT);
    String output =
        ChildProcess.run(
            directory.resolve("chdb.log"),
            PATIENCE,
            List.of(
                python.toString(),
                script.toString(),
                parquet.toString(),
                directory.resolve("chdb").toString(),
                Integer.toString(rounds),
                list.toString()));
    Map<String, Double> latencies = new TreeMap<>();
    for (String line : output.lines().toList()) {
      String[] words = line.split(" ", -1);
      if (words[0].equals("latency")) {
        latencies.put(words[1], Double.parseDouble(words[2]));
      }
    }
    if (latencies.size() < queries.size()) {
      throw new IOException(
          "chdb completed " + latencies.size() + " queries: " + PythonEnvironment.last(output));
    }
    return latencies;
  }
}
