package io.millrace.lab.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * pmacct's collectors, {@code sfacctd} and {@code nfacctd}, with the print plugin, which aggregates
 * samples by addresses, ports, protocol and interfaces, and appends to a file every few seconds.
 *
 * <p>Samples are counted while it runs, until no more arrive: a process that ends during a write
 * writes the same rows twice. Partly filled buffers are written when it ends.
 */
final class PmacctPeer extends PeerProcess {
  private static final int REFRESH_SECONDS = 3;
  private static final int CACHE_ENTRIES = 262_139;
  private static final int PLUGIN_PIPE_BYTES = 256 << 20;
  private static final int PLUGIN_BUFFER_BYTES = 64 << 10;
  private static final Duration QUIET = Duration.ofSeconds(3 * REFRESH_SECONDS);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final int bufferBytes;
  private PmacctCsv csv;

  PmacctPeer(String program, int bufferBytes) {
    super(program);
    this.bufferBytes = bufferBytes;
  }

  @Override
  public String stores() {
    return "sums by 5-tuple and interfaces every " + REFRESH_SECONDS + " s, in a CSV file";
  }

  @Override
  List<String> command(Path directory, int port) throws IOException {
    Path printed = directory.resolve("flows.csv");
    csv = new PmacctCsv(printed);
    Path config =
        Files.write(
            directory.resolve("pmacct.conf"),
            List.of(
                "daemonize: false",
                name() + "_ip: 127.0.0.1",
                name() + "_port: " + port,
                name() + "_pipe_size: " + bufferBytes,
                "plugins: print[p]",
                "aggregate[p]: src_host, dst_host, src_port, dst_port, proto, in_iface, out_iface",
                "print_output[p]: csv",
                "print_output_file[p]: " + printed,
                "print_output_file_append[p]: true",
                "print_refresh_time[p]: " + REFRESH_SECONDS,
                "print_cache_entries[p]: " + CACHE_ENTRIES,
                "plugin_pipe_size[p]: " + PLUGIN_PIPE_BYTES,
                "plugin_buffer_size[p]: " + PLUGIN_BUFFER_BYTES));
    return List.of(name(), "-f", config.toString());
  }

  @Override
  public long stored(long sent) throws IOException {
    awaitRest();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    long quietUntil = System.nanoTime() + QUIET.toNanos();
    long packets = csv.packets();
    while (packets < sent && System.nanoTime() < Math.min(deadline, quietUntil)) {
      LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
      long more = csv.packets();
      if (more > packets) {
        packets = more;
        quietUntil = System.nanoTime() + QUIET.toNanos();
      }
    }
    if (packets < sent) {
      interrupt();
    }
    return csv.packets();
  }
}
