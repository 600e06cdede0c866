package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.pulse.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** System calls during a checkpoint, recorded by strace. */
class SyncedFileSystemTest {
  @TempDir Path directory;

  /** Writes one checkpoint. */
  public static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) throws Exception {
      var unused = CheckpointFilesTest.write(Path.of(arguments[0]));
    }
  }

  @Test
  void filesAndDirectoriesAreSyncedBeforeTheCheckpointCounts() throws Exception {
    boolean isThere =
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(bin -> Files.isExecutable(Path.of(bin, "strace")));
    assumeThat(isThere).as("strace is installed").isTrue();
    Path home = directory.resolve("checkpoints").resolve("job");
    Path trace = directory.resolve("trace");
    List<String> command =
        new ArrayList<>(
            List.of("strace", "-f", "-y", "-e", "trace=fsync,fdatasync,rename,renameat,renameat2"));
    command.addAll(List.of("-o", trace.toString()));
    command.addAll(ChildProcess.java(List.of("-Xmx256m"), Writer.class, List.of(home.toString())));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("output").toFile())
            .start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(directory.resolve("output"))).isZero();

    List<String> calls = Files.readAllLines(trace);
    String chk = home.resolve("chk-7").toString();
    int state = first(calls, "fsync", "<" + chk + "/state>");
    int stateName = after(calls, state, "fsync", "<" + chk + ">");
    int metadata = after(calls, stateName, "fsync", "_metadata.inprogress");
    int renamed = after(calls, metadata, "rename", chk + "/_metadata\"");
    after(calls, renamed, "fsync", "<" + chk + ">");
    for (Path made : List.of(directory, home.getParent(), home)) { // each has a new directory
      assertThat(first(calls, "fsync", "<" + made + ">")).isLessThan(state);
    }
  }

  private static int first(List<String> calls, String call, String what) {
    return after(calls, -1, call, what);
  }

  private static int after(List<String> calls, int from, String call, String what) {
    for (int i = from + 1; i < calls.size(); i++) {
      if (calls.get(i).contains(call) && calls.get(i).contains(what)) {
        return i;
      }
    }
    throw new AssertionError(
        "no " + call + " of " + what + " after call " + from + " of\n" + String.join("\n", calls));
  }
}
