package io.millrace.pulse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalHostTest {
  @TempDir Path dir;

  /** Prints the address of this machine. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws UnknownHostException {
      LocalHost.toLoopback();
      System.out.println(LocalHost.name() + " " + InetAddress.getLocalHost());
    }
  }

  private static List<String> program() {
    return ChildProcess.java(
        List.of("--add-opens=java.base/java.net=ALL-UNNAMED"), Program.class, List.of());
  }

  private String output(List<String> command) throws IOException {
    return ChildProcess.run(dir.resolve("out"), Duration.ofMinutes(1), command);
  }

  @Test
  void isOnLoopbackUnderItsName() throws IOException {
    String name = LocalHost.name();
    assertThat(output(program())).endsWith(name + " " + name + "/127.0.0.1\n");
  }

  @Test
  void anUnresolvableNameIsOnLoopbackToo() throws IOException {
    assumeThat(ChildProcess.succeeds("unshare", "-u", "hostname", "name.invalid"))
        .as("a host name of one process's own, which root can give it")
        .isTrue();
    String command = "hostname name.invalid && exec \"$@\"";
    List<String> named = new ArrayList<>(List.of("unshare", "-u", "sh", "-c", command, "sh"));
    named.addAll(program());
    assertThat(output(named)).endsWith("name.invalid name.invalid/127.0.0.1\n");
  }
}
