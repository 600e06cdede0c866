package io.millrace.lab.voice;

import io.millrace.analytics.voice.VoiceGuard;
import io.millrace.analytics.voice.VoiceRecords;
import io.millrace.analytics.voice.VoiceRules;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.records.Lanes;
import io.millrace.lab.records.RecordFill;
import io.millrace.lab.records.RecordRun;
import io.millrace.lab.records.RecordTarget;
import io.millrace.pipelines.voice.VoiceConfig;
import io.millrace.pipelines.voice.VoicePipeline;
import io.millrace.traffic.voice.VoiceTrace;
import io.millrace.wire.block.TableBlock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

/**
 * Measures the latency from a large message, which takes a controller over its limit, to the
 * command.
 */
final class VoiceDelays {
  static final int PACED_SECONDS = 20;
  private static final int WARM_UP = 5; // 1/5 of the run
  private static final long PACED_STEP = VoiceLoad.MICROS / 20;
  private static final long PACED_WINDOW = VoiceLoad.MICROS;
  private static final long BETWEEN_WATERMARKS = 20_000;
  private static final long LARGE_BYTES = 1_000_000_000;
  private static final long LARGE_SENDER = 999_000_000_000L;
  private static final double USUAL_SHARE = 0.5;

  /** Controllers that report per send. */
  private static final int REPORTS = 4;

  /** Maximum size of a message of the trace. */
  private static final long MAX_BYTES = 1L << 16;

  private final BenchContext context;
  private final int seconds;
  private final long seed;

  VoiceDelays(BenchContext context, int seconds, long seed) {
    this.context = context;
    this.seconds = seconds;
    this.seed = seed;
  }

  /** Alternates between generating the records of a second and processing them in real time. */
  void ofMemory(double rate) throws Exception {
    long large = large(rate);
    VoiceRules rules =
        new VoiceRules(
            PACED_STEP, PACED_WINDOW, 0, VoiceLoad.MICROS, 0.4, 0.3, large / 2, large / 4);
    VoiceTrace trace = new VoiceTrace(VoiceLoad.CONTROLLERS, VoiceLoad.START, rate, seed);
    ConcurrentHashMap<Long, Long> crossed = new ConcurrentHashMap<>();
    ConcurrentLinkedQueue<Long> delays = new ConcurrentLinkedQueue<>();
    long[] nanosOfStart = new long[1];
    LongSupplier clock = () -> VoiceLoad.START + (System.nanoTime() - nanosOfStart[0]) / 1_000;
    long marked = VoiceLoad.START;
    long expected = 0;
    long next = 0; // controller of the next large message
    try (Lanes<VoiceLane> lanes =
        VoiceLoad.lanes(rules, commands -> delays(commands, crossed, clock, delays))) {
      for (int second = 1; second <= seconds; second++) {
        context.progress().accept("voice, second " + second + " of " + seconds);
        long until = VoiceLoad.START + second * VoiceLoad.MICROS;
        while (trace.moment() < until) {
          trace.next();
          VoiceLoad.add(trace, lanes);
          if (trace.moment() - marked >= BETWEEN_WATERMARKS) {
            marked = trace.moment();
            if (crossed.putIfAbsent(next, marked + VoiceLoad.DISORDER) == null) {
              VoiceLane lane = lanes.of(next);
              long late = marked + VoiceLoad.DISORDER / 2;
              addLarge(lane.first(), lane.second(), (int) next, large, marked, late);
              expected++;
            }
            next = (next + 1) % VoiceLoad.CONTROLLERS;
            VoiceLoad.mark(lanes, marked);
          }
        }
        if (second <= seconds / WARM_UP) {
          delays.clear();
          expected = crossed.size();
        }
        nanosOfStart[0] =
            System.nanoTime() - (second - 1) * 1_000_000_000L - VoiceLoad.DISORDER * 1_000;
        var unused = lanes.run(lane -> lane.runPaced(clock));
      }
    }
    report(rate, delays.stream().mapToLong(Long::longValue).sorted().toArray(), expected);
  }

  private static void addLarge(
      RecordTarget ofMessages,
      RecordTarget ofChannels,
      int controller,
      long large,
      long shareTime,
      long messageTime) {
    VoiceLoad.addShare(ofChannels, shareTime, controller, 1);
    VoiceLoad.addMessage(
        ofMessages,
        messageTime,
        LARGE_SENDER,
        VoiceTrace.areaOf(controller),
        VoiceTrace.cellOf(controller, 0),
        large);
  }

  private static void delays(
      TableBlock commands,
      ConcurrentHashMap<Long, Long> crossed,
      LongSupplier clock,
      ConcurrentLinkedQueue<Long> delays) {
    for (int row = 0; row < commands.rows(); row++) {
      if (commands.texts(2).get(row).equals(VoiceGuard.LIMIT)) {
        delays.add(clock.getAsLong() - crossed.get(commands.longs(1)[row]));
      } else {
        var unused = crossed.remove(commands.longs(1)[row]);
      }
    }
  }

  private void report(double rate, long[] delays, long expected) {
    if (delays.length < expected / 2) {
      throw new WrongResultException(delays.length + " commands of " + expected + " crossings");
    }
    for (int percent : new int[] {50, 99}) {
      double millis = delays[Math.min(delays.length - 1, delays.length * percent / 100)] / 1e3;
      context.report(delay(percent, millis, "memory", rate, delays.length));
    }
  }

  /**
   * Measures the latency from the log while records are written in real time: from the time a large
   * message is sent until a consumer of the topic receives the command. The sender shares the
   * cores.
   */
  void ofLog(double rate) throws Exception {
    context.progress().accept("voice, from the log in real time");
    Path directory = Files.createDirectories(context.directory().resolve("voice-paced"));
    Path file = Files.writeString(directory.resolve("cells.csv"), VoiceLoad.cellsText());
    long large = large(rate);
    VoicePipeline pipeline = new VoicePipeline(paced(file, large));
    try (RecordRun run = new RecordRun(directory, pipeline, Lanes.COUNT);
        RecordFill ofMessages = run.fill(VoiceRecords.MESSAGES);
        RecordFill ofChannels = run.fill(VoiceRecords.CHANNELS)) {
      ConcurrentHashMap<Long, Long> crossed = new ConcurrentHashMap<>();
      RecordRun.Delays delays =
          run.delays(
              start -> new Crossings(start, rate, large, ofMessages, ofChannels, crossed),
              pipeline.config().topic(),
              command -> crossing(command, crossed),
              Duration.ofSeconds(seconds / 2),
              Duration.ofSeconds(seconds));
      for (int percent : new int[] {50, 99}) {
        Figure figure = delay(percent, delays.millis(percent), "log", rate, delays.count());
        context.report(delays.explain(figure));
      }
    }
  }

  /** Sends the trace in real time, and a large message to the next controller about every 20 ms. */
  private final class Crossings implements RecordRun.Sender {
    private final VoiceTrace trace;
    private final long large;
    private final RecordFill ofMessages;
    private final RecordFill ofChannels;
    private final ConcurrentHashMap<Long, Long> crossed;
    private long controller;
    private long next;
    private int reporting;

    Crossings(
        long start,
        double rate,
        long large,
        RecordFill ofMessages,
        RecordFill ofChannels,
        ConcurrentHashMap<Long, Long> crossed) {
      trace = new VoiceTrace(VoiceLoad.CONTROLLERS, start, rate, seed);
      this.large = large;
      this.ofMessages = ofMessages;
      this.ofChannels = ofChannels;
      this.crossed = crossed;
    }

    @Override
    public void send(long until) {
      while (trace.moment() + VoiceLoad.DISORDER < until) {
        trace.next();
        VoiceLoad.add(trace, ofMessages, ofChannels);
      }
      long moment = trace.moment();
      if (until > next && crossed.putIfAbsent(controller, until) == null) {
        addLarge(ofMessages, ofChannels, (int) controller, large, moment, moment);
        controller = (controller + 1) % VoiceLoad.CONTROLLERS;
        next = until + BETWEEN_WATERMARKS;
      }
      report(moment);
      ofMessages.send();
      ofChannels.send();
    }

    /**
     * Reports the share of each controller four times a second. The watermark depends on the newest
     * record of each partition; in the trace, controllers report only every ten seconds, so a
     * partition gets a report every 200 ms.
     */
    private void report(long moment) {
      for (int i = 0; i < REPORTS; i++) {
        VoiceLoad.addShare(ofChannels, moment, reporting, USUAL_SHARE);
        reporting = (reporting + 1) % VoiceLoad.CONTROLLERS;
      }
    }
  }

  /**
   * Returns a configuration with a short window: one large message exceeds the volume until it
   * leaves.
   */
  private static VoiceConfig paced(Path cells, long large) {
    VoiceConfig usual = VoiceConfig.defaults();
    return new VoiceConfig(
        true,
        Lanes.COUNT,
        cells.toString(),
        Duration.ofMillis(PACED_STEP / 1_000),
        Duration.ofMillis(PACED_WINDOW / 1_000),
        Duration.ZERO,
        usual.report(),
        0.4,
        0.3,
        large / 2,
        large / 4,
        Duration.ofMillis(VoiceLoad.DISORDER / 1_000),
        usual.messages(),
        usual.channels(),
        usual.topic(),
        usual.release(),
        null);
  }

  /**
   * Returns when the message that triggered a command was sent. A release is not measured and
   * permits the next large message to the controller.
   */
  private static long crossing(String command, ConcurrentHashMap<Long, Long> crossed) {
    long controller = RecordRun.number(command, "controller");
    if (command.contains('"' + VoiceGuard.LIMIT + '"')) {
      return crossed.getOrDefault(controller, RecordRun.NOT_MEASURED);
    }
    var unused = crossed.remove(controller);
    return RecordRun.NOT_MEASURED;
  }

  private Figure delay(int percent, double millis, String source, double rate, int commands) {
    Figure figure =
        Figure.of(VoiceBenchmark.NAME, "p" + percent + "_ms", millis, "ms")
            .with("source", source)
            .with("rate", Math.round(rate))
            .with("commands", commands)
            .with("step_ms", PACED_STEP / 1_000)
            .with("window_ms", PACED_WINDOW / 1_000)
            .with("watermark_delay_ms", VoiceLoad.DISORDER / 1_000);
    return percent == 99 ? figure.aiming(Target.atMost(200)) : figure;
  }

  /**
   * Returns the size of a large message: at least eight times the maximum volume of a controller's
   * other messages per window.
   */
  private static long large(double rate) {
    return Math.max(LARGE_BYTES, 8 * (long) (rate / VoiceLoad.CONTROLLERS * MAX_BYTES));
  }
}
