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
 * From when a large message has come, which takes a controller beyond its bound, until the command
 * for it is there.
 */
final class VoiceDelays {
  static final int PACED_SECONDS = 20;
  private static final int WARM_UP = 5; // a part of so many
  private static final long PACED_STEP = VoiceLoad.MICROS / 20;
  private static final long PACED_WINDOW = VoiceLoad.MICROS;
  private static final long BETWEEN_WATERMARKS = 20_000;
  private static final long LARGE_BYTES = 1_000_000_000;
  private static final long LARGE_SENDER = 999_000_000_000L;
  private static final double USUAL_SHARE = 0.5;

  /** Controllers that say something each time the sender sends. */
  private static final int REPORTS = 4;

  /** Of a message of the trace. */
  private static final long MAX_BYTES = 1L << 16;

  private final BenchContext context;
  private final int seconds;
  private final long seed;

  VoiceDelays(BenchContext context, int seconds, long seed) {
    this.context = context;
    this.seconds = seconds;
    this.seed = seed;
  }

  /** A second of records is made, then the clock goes on for a second. */
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
    long next = 0; // controller that gets a large message
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
   * From the log while records are written by the clock: from when a large message was sent until a
   * reader of the topic has the command. The sender runs on the same cores.
   */
  void ofLog(double rate) throws Exception {
    context.progress().accept("voice, from the log by the clock");
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

  /** The trace by the clock, and every now and then a large message for the next controller. */
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
     * The watermark advances with the newest record of each partition, and those of the trace,
     * where controllers say something every ten seconds, come every 200 ms. Here it is four times a
     * second.
     */
    private void report(long moment) {
      for (int i = 0; i < REPORTS; i++) {
        VoiceLoad.addShare(ofChannels, moment, reporting, USUAL_SHARE);
        reporting = (reporting + 1) % VoiceLoad.CONTROLLERS;
      }
    }
  }

  /** A short window, which one large message fills; when that has left it, the limit ends. */
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

  /** When what brought a command about was sent; none for a release, after which it may again. */
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

  /** Eight times what a controller's other messages have in a window, at most. */
  private static long large(double rate) {
    return Math.max(LARGE_BYTES, 8 * (long) (rate / VoiceLoad.CONTROLLERS * MAX_BYTES));
  }
}
