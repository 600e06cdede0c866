package io.millrace.lab.packets;

import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.rivals.JavaRival;
import io.millrace.lab.rivals.StormRunner;
import io.millrace.pulse.ChildProcess;
import io.millrace.wire.block.PacketBlock;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The same counting by an Apache Storm topology in its own process, over as much of the trace as
 * fits into its heap.
 */
final class StormPackets {
  private static final String SOURCE = "StormPackets.java";
  private static final int MAX_BLOCKS = 200;
  private static final int WARM_UP_SECONDS = 10;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Pattern COUNTED = Pattern.compile("counted (\\d+) (\\d+) (\\d+)");

  private StormPackets() {}

  /** Packets per second. */
  static double rate(HeaderTrace trace, Path directory, int subtasks, int seconds)
      throws IOException {
    Path file = Files.createDirectories(directory).resolve("headers");
    List<PacketBlock> blocks =
        trace.blocks().subList(0, Math.min(MAX_BLOCKS, trace.blocks().size()));
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      for (PacketBlock block : blocks) {
        out.writeInt(block.length());
        out.write(block.bytes(), 0, block.length());
      }
    }
    String classPath = StormRunner.classPath() + File.pathSeparator + headerClasses(directory);
    try (ChildProcess storm =
        JavaRival.start(
            directory,
            SOURCE,
            classPath,
            List.of("-Xmx2g"),
            List.of(
                file.toString(),
                Integer.toString(subtasks),
                Integer.toString(WARM_UP_SECONDS),
                Integer.toString(seconds)))) {
      boolean hasEnded = storm.awaitEnd(PATIENCE.plusSeconds(seconds));
      Matcher counted = COUNTED.matcher(storm.output());
      if (!hasEnded || !counted.find()) {
        throw new WrongResultException("Storm counted nothing: see " + directory);
      }
      double packets = Long.parseLong(counted.group(1));
      double mean = Long.parseLong(counted.group(2)) / packets;
      double expected = (double) trace.truth().bytes() / trace.packets();
      if (Math.abs(mean - expected) > expected / 100) {
        throw new WrongResultException("Storm's packets have a mean of " + mean + " bytes");
      }
      return packets * 1_000 / Long.parseLong(counted.group(3));
    }
  }

  /**
   * Class path entry of the classes that read headers, without our other libraries, since Storm
   * brings its own.
   */
  private static Path headerClasses(Path directory) throws IOException {
    Path own;
    try {
      own = Path.of(PacketBlock.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
    if (Files.isDirectory(own)) {
      return own;
    }
    try (FileSystem jar = FileSystems.newFileSystem(own);
        Stream<Path> classes = Files.walk(jar.getPath("io", "millrace", "wire"))) {
      Path copies = directory.resolve("wire");
      for (Path each : classes.toList()) {
        Path copy = copies.resolve(each.toString());
        if (Files.isDirectory(each)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(each, copy);
        }
      }
      return copies;
    }
  }
}
