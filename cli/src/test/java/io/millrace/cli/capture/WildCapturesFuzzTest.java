package io.millrace.cli.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.pipelines.flows.FlowDecoder;
import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.netflow.NetflowConfig;
import io.millrace.wire.netflow.NetflowDecoder;
import io.millrace.wire.netflow.Observations;
import io.millrace.wire.pcap.CaptureReader;
import io.millrace.wire.pcap.DatagramExtractor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Captures of real devices with changed bytes: each datagram is counted, and state is bounded. */
class WildCapturesFuzzTest {
  private static final int TURNS = Boolean.getBoolean("millrace.long") ? 5_000 : 60;
  private static final long SEED = Boolean.getBoolean("millrace.long") ? System.nanoTime() : 48;

  private static final class Datagram {
    private final byte[] bytes;
    private final int port;

    Datagram(byte[] bytes, int port) {
      this.bytes = bytes;
      this.port = port;
    }

    Datagram changed(Random random) {
      byte[] changed = bytes.clone();
      for (int n = random.nextInt(6); n > 0; n--) {
        int at =
            random.nextInt(random.nextBoolean() ? changed.length : Math.min(80, changed.length));
        changed[at] = (byte) (random.nextBoolean() ? random.nextInt() : changed[at] + 1);
      }
      int length = random.nextInt(8) > 0 ? changed.length : random.nextInt(2 * changed.length);
      return new Datagram(Arrays.copyOf(changed, length), port + random.nextInt(3));
    }
  }

  @TestFactory
  Stream<DynamicTest> countsEachDatagramAndKeepsToItsBounds() throws IOException {
    Path directory = Path.of(System.getProperty("millrace.shared"), "captures", "wild");
    assumeTrue(Files.isDirectory(directory), "no captures in " + directory);
    List<Path> files;
    try (Stream<Path> all = Files.list(directory)) {
      files = all.filter(file -> file.toString().endsWith(".pcap")).sorted().toList();
    }
    return files.stream()
        .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> fuzz(file)));
  }

  private static void fuzz(Path file) throws IOException {
    List<Datagram> datagrams = datagrams(file);
    Random random = new Random(SEED);
    FlowDecoder job = new FlowDecoder(FlowsConfig.defaults(), 1);
    NetflowDecoder netflow = new NetflowDecoder(NetflowConfig.DEFAULT);
    for (int turn = 0; turn < TURNS; turn++) {
      List<Datagram> changed = datagrams.stream().map(each -> each.changed(random)).toList();
      check(job, changed, "turn " + turn + " of seed " + SEED);
      for (Datagram each : changed) {
        int length = each.bytes.length;
        FlowBlock block = new FlowBlock(4);
        netflow.decode(each.bytes, 0, length, turn, 0, 1, each.port, block, Observations.NONE);
        assertThat(block.rows()).isLessThan(300_000);
      }
      assertThat(netflow.heldBytes())
          .isBetween(0, NetflowConfig.DEFAULT.maxHeldBytes() / NetflowConfig.DEFAULT.senderShare());
    }
    BlockBuffer state = new BlockBuffer(64);
    netflow.snapshot(state);
    assertThat(state.length()).isLessThan(32 << 20);
  }

  private static void check(FlowDecoder job, List<Datagram> datagrams, String turn) {
    RawBatch.Writer batch = RawBatch.Writer.inOrder();
    for (Datagram each : datagrams) {
      batch.add(1, 0, 1, each.port, each.bytes, 0, each.bytes.length);
    }
    long[] sums = new long[ExporterCounters.COUNTS];
    int[] rows = {0};
    job.process(
        RawBatch.wrap(batch.toBytes(), 0, 1),
        new Emitter<>() {
          @Override
          public void emit(FlowBlock block) {
            rows[0] += block.rows();
            ExporterCounters counters = block.counters();
            for (int i = 0; i < counters.size(); i++) {
              for (int count = 0; count < sums.length; count++) {
                sums[count] += counters.count(i, count);
              }
            }
          }

          @Override
          public <B extends Block> void emit(Output<B> output, B block) {
            // not a row of flows
          }
        });
    assertThat(sums[ExporterCounters.DATAGRAMS] + sums[ExporterCounters.MALFORMED_DATAGRAMS])
        .as(turn)
        .isEqualTo(datagrams.size());
    assertThat(sums[ExporterCounters.ROWS]).as(turn).isEqualTo(rows[0]);
    assertThat(sums[ExporterCounters.FIRST_REASON + RejectReason.DECODER_FAILED.ordinal()])
        .as(turn)
        .isZero();
  }

  private static List<Datagram> datagrams(Path file) throws IOException {
    List<Datagram> datagrams = new ArrayList<>();
    DatagramExtractor extractor =
        new DatagramExtractor(
            (time, high, low, port, toPort, bytes, offset, length, truncated) ->
                datagrams.add(
                    new Datagram(Arrays.copyOfRange(bytes, offset, offset + length), port)));
    try (InputStream in = Files.newInputStream(file)) {
      CaptureReader capture = CaptureReader.open(in);
      while (capture.next()) {
        extractor.packet(capture);
      }
    }
    return datagrams;
  }
}
