package io.millrace.bench.voice;

import io.millrace.analytics.voice.VoiceRules;
import io.millrace.pipelines.voice.CellTable;
import io.millrace.traffic.voice.VoiceTrace;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** All lanes, each on a thread of its own. */
final class Lanes implements AutoCloseable {
  static final int COUNT = 2;

  private final ExecutorService threads = Executors.newFixedThreadPool(COUNT);
  private final List<Lane> lanes = new ArrayList<>();

  /**
   * Lanes that have got nothing yet.
   *
   * @param commands gets the commands, on the lanes' threads
   */
  Lanes(VoiceRules rules, CellTable cells, Consumer<TableBlock> commands) {
    for (int i = 0; i < COUNT; i++) {
      lanes.add(new Lane(rules, cells, commands));
    }
  }

  /** The lane that a controller belongs to. */
  Lane of(int controller) {
    return lanes.get(Lane.of(controller));
  }

  /** Takes the trace's record. */
  void add(VoiceTrace trace, long place) {
    of(trace.controller()).add(trace, place);
  }

  /** No record to come is of the time in front of that moment. */
  void mark(long moment) {
    lanes.forEach(lane -> lane.mark(moment - 1, moment + VoiceLoad.DISORDER));
  }

  /** What a lane does. */
  @FunctionalInterface
  interface Work {
    void of(Lane lane) throws Exception;
  }

  /** Seconds that the lanes need together. */
  double run(Work work) throws Exception {
    List<Callable<Void>> runs = new ArrayList<>();
    for (Lane lane : lanes) {
      runs.add(
          () -> {
            work.of(lane);
            return null;
          });
    }
    long started = System.nanoTime();
    for (Future<Void> each : threads.invokeAll(runs)) {
      each.get();
    }
    return (System.nanoTime() - started) / 1e9;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
