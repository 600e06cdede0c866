package io.millrace.lab.packets;

import io.millrace.analytics.packets.PacketSums;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.IpLayer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** The same counting in plain threads, each with its share of the blocks, without an engine. */
final class PlainLoop {
  /** Divisor of the engine's time; the loop's rate is stable after less time. */
  static final int PART = 3;

  private PlainLoop() {}

  /** Counts all packets {@code rounds} times and returns the seconds taken. */
  static double count(HeaderTrace trace, IpLayer layer, long rounds, int threads) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<PacketSums>> loops =
          IntStream.range(0, threads)
              .<Callable<PacketSums>>mapToObj(
                  thread -> () -> loop(trace.blocks(), layer, thread, threads, rounds))
              .toList();
      long started = System.nanoTime();
      List<Future<PacketSums>> done = executor.invokeAll(loops);
      double seconds = (System.nanoTime() - started) / 1e9;
      Totals counted = new Totals();
      for (Future<PacketSums> each : done) {
        counted.add(each.get().counts());
      }
      Totals expected = new Totals();
      expected.add(trace.truth(), rounds);
      counted.check("the plain loop", expected);
      return seconds;
    } finally {
      executor.shutdownNow();
    }
  }

  private static PacketSums loop(
      List<PacketBlock> blocks, IpLayer layer, int first, int step, long rounds) {
    PacketSums sums = new PacketSums(layer, false);
    for (long round = 0; round < rounds; round++) {
      for (int i = first; i < blocks.size(); i += step) {
        sums.add(blocks.get(i));
      }
    }
    return sums;
  }
}
