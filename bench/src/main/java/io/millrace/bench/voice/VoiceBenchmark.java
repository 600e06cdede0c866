package io.millrace.bench.voice;

import io.millrace.analytics.voice.VoiceGuard;
import io.millrace.analytics.voice.VoiceRecords;
import io.millrace.analytics.voice.VoiceRules;
import io.millrace.bench.harness.BenchContext;
import io.millrace.bench.harness.Benchmark;
import io.millrace.bench.harness.Figure;
import io.millrace.bench.harness.Figure.Target;
import io.millrace.bench.harness.WrongResultException;
import io.millrace.bench.records.RecordFill;
import io.millrace.bench.records.RecordRun;
import io.millrace.pipelines.voice.CellTable;
import io.millrace.pipelines.voice.VoiceConfig;
import io.millrace.pipelines.voice.VoicePipeline;
import io.millrace.traffic.voice.VoiceTrace;
import io.millrace.wire.block.TableBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Messages to commands, from memory: look-up of cells, sums and judgement on two threads, each with
 * the controllers that are its own. First as fast as it goes, over a little more than a window of
 * five minutes. Then at half that rate by the clock: now and then a large message takes a
 * controller beyond its bound, and from when that message has come until the command is there is
 * the delay. Records are made a stretch at a time, outside the time that counts. Last the whole
 * job: over a log that is full, and then, at half that rate, over one that is written by the clock.
 */
public final class VoiceBenchmark implements Benchmark {
  private static final long MICROS = 1_000_000;
  private static final long START = 1_700_000_000 * MICROS;
  private static final long MESSAGES = 40_000_000;
  private static final int CONTROLLERS = 200;
  private static final int SECONDS = 400; // of event time: beyond minute 5, when some are busy
  private static final int STRETCH = 2_000_000;
  private static final int WATERMARK = 100_000;
  private static final long DISORDER = 50_000;
  private static final long BETWEEN_WATERMARKS = 20_000;
  private static final int LANES = 2;
  private static final long SEED = 1;
  private static final double MEAN_BYTES = 18_384;

  private static final int PACED_SECONDS = 20;
  private static final int WARM_UP = 5; // a part of so many
  private static final long PACED_STEP = MICROS / 20;
  private static final long LARGE_BYTES = 1_000_000_000;
  private static final long LARGE_SENDER = 999_000_000_000L;

  /** Of a message of the trace. */
  private static final long MOST_BYTES = 1L << 16;

  @Override
  public String name() {
    return "voice";
  }

  @Override
  public String what() {
    return "messages to commands for controllers: messages a second, delay of commands";
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(140);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    context.lines().accept("published: a system that does this, without any figure");
    ExecutorService threads = Executors.newFixedThreadPool(LANES);
    try {
      double rate = reportRate(context, threads);
      reportDelay(context, threads, Math.min(rate / 2, (double) context.rowsOr(MESSAGES)));
    } finally {
      threads.shutdownNow();
    }
    reportLogDelay(context, reportLogRate(context) / 2);
  }

  private double reportRate(BenchContext context, ExecutorService threads) throws Exception {
    long messages = context.rowsOr(MESSAGES);
    double perSecond = messages / (double) SECONDS;
    long volume = (long) (perSecond / CONTROLLERS * 300 * MEAN_BYTES * 1.1);
    VoiceRules rules =
        new VoiceRules(
            MICROS / 10, 300 * MICROS, 5 * MICROS, 5 * MICROS, 0.9, 0.8, volume, volume / 2);
    VoiceTrace trace = new VoiceTrace(CONTROLLERS, START, perSecond, seed(context));
    Truth truth = new Truth(rules, SECONDS);
    ConcurrentLinkedQueue<String> given = new ConcurrentLinkedQueue<>();
    CellTable cells = cells();
    List<Lane> lanes = new ArrayList<>();
    for (int i = 0; i < LANES; i++) {
      lanes.add(new Lane(rules, cells, commands -> commands(commands, given)));
    }
    double seconds = 0;
    long warm = 0;
    long made = 0;
    while (made < messages) {
      context.progress().accept("voice, " + made / 1_000_000 + " M messages");
      long stretch = Math.min(STRETCH, messages - made);
      for (long i = 0; i < stretch; ) {
        trace.next();
        truth.add(trace);
        lanes.get(Lane.of(trace.controller())).add(trace, made + i);
        i += trace.isMessage() ? 1 : 0;
        if (trace.isMessage() && i % WATERMARK == 0) {
          mark(lanes, trace.moment());
        }
      }
      mark(lanes, trace.moment());
      made += stretch;
      double took = run(threads, lanes, Lane::run);
      if (made > messages / 4) { // before, it warms up
        seconds += took;
        warm += stretch;
      }
    }
    mark(lanes, START + SECONDS * MICROS);
    var unused = run(threads, lanes, Lane::run);
    String[] commands = given.stream().sorted().toArray(String[]::new);
    if (commands.length == 0 || !Arrays.equals(truth.commands(), commands)) {
      throw new WrongResultException(
          "commands "
              + Arrays.toString(commands)
              + " where they must be "
              + Arrays.toString(truth.commands()));
    }
    double rate = warm / seconds;
    context.report(
        Figure.of(name(), "rate", rate, "messages")
            .with("source", "memory")
            .with("messages", messages)
            .with("controllers", CONTROLLERS)
            .with("commands", commands.length)
            .with("threads", LANES)
            .aiming(Target.atLeast(5e6)));
    return rate;
  }

  /** From the log: decoding, look-up, exchange, judgement and the table. */
  private double reportLogRate(BenchContext context) throws Exception {
    long messages = context.rowsOr(MESSAGES) / 2;
    Path directory = Files.createDirectories(context.directory().resolve("voice"));
    Path file = Files.writeString(directory.resolve("cells.csv"), cellsText());
    VoicePipeline pipeline =
        new VoicePipeline(VoiceConfig.defaults().running(LANES, file.toString(), null));
    VoiceTrace trace =
        new VoiceTrace(CONTROLLERS, START, messages / (double) SECONDS, seed(context));
    try (RecordRun run = new RecordRun(directory, pipeline, LANES)) {
      context.progress().accept("voice, filling the log");
      long reports = 0;
      try (RecordFill ofMessages = run.fill(VoiceRecords.MESSAGES);
          RecordFill ofChannels = run.fill(VoiceRecords.CHANNELS)) {
        for (long made = 0; made < messages; ) {
          trace.next();
          add(trace, ofMessages, ofChannels);
          made += trace.isMessage() ? 1 : 0;
          reports += trace.isMessage() ? 0 : 1;
        }
      }
      context.progress().accept("voice, from the log");
      double rate = run.runToEnd(messages + reports);
      WrongResultException.check("controllers", CONTROLLERS, run.rows("voice_controllers"));
      context.report(
          Figure.of(name(), "rate", rate, "messages")
              .with("source", "log")
              .with("messages", messages)
              .with("controllers", CONTROLLERS)
              .with("slots", LANES));
      return rate;
    }
  }

  private static void add(VoiceTrace trace, RecordFill ofMessages, RecordFill ofChannels) {
    if (trace.isMessage()) {
      addMessage(
          ofMessages, trace.time(), trace.msisdn(), trace.area(), trace.cell(), trace.bytes());
    } else {
      addShare(ofChannels, trace.time(), trace.controller(), trace.inUse());
    }
  }

  private static void addMessage(
      RecordFill to, long time, long msisdn, long area, long cell, long bytes) {
    TableBlock block = to.block(msisdn);
    int row = block.rows();
    block.longs(0)[row] = time;
    block.longs(1)[row] = msisdn;
    block.longs(2)[row] = area;
    block.longs(3)[row] = cell;
    block.longs(4)[row] = bytes;
    to.add(msisdn);
  }

  private static void addShare(RecordFill to, long time, long controller, double inUse) {
    TableBlock block = to.block(controller);
    int row = block.rows();
    block.longs(0)[row] = time;
    block.longs(1)[row] = controller;
    block.doubles(2)[row] = inUse;
    to.add(controller);
  }

  /**
   * From the log while records are written by the clock: from when a large message was sent until a
   * reader of the topic has the command. The sender runs on the same cores.
   */
  private void reportLogDelay(BenchContext context, double rate) throws Exception {
    int seconds = context.secondsOr(PACED_SECONDS);
    context.progress().accept("voice, from the log by the clock");
    Path directory = Files.createDirectories(context.directory().resolve("voice-paced"));
    Path file = Files.writeString(directory.resolve("cells.csv"), cellsText());
    long large = large(rate);
    VoicePipeline pipeline = new VoicePipeline(paced(file, large));
    try (RecordRun run = new RecordRun(directory, pipeline, LANES);
        RecordFill ofMessages = run.fill(VoiceRecords.MESSAGES);
        RecordFill ofChannels = run.fill(VoiceRecords.CHANNELS)) {
      long start = System.currentTimeMillis() * 1_000;
      VoiceTrace trace = new VoiceTrace(CONTROLLERS, start, rate, seed(context));
      ConcurrentHashMap<Long, Long> crossed = new ConcurrentHashMap<>();
      long[] next = new long[2]; // controller that gets a large message, and when
      RecordRun.Delays delays =
          run.delays(
              until -> {
                while (trace.moment() + DISORDER < until) {
                  trace.next();
                  add(trace, ofMessages, ofChannels);
                }
                if (until > next[1] && crossed.putIfAbsent(next[0], until) == null) {
                  int controller = (int) next[0];
                  long moment = trace.moment();
                  addShare(ofChannels, moment, controller, 1);
                  addMessage(
                      ofMessages,
                      moment,
                      LARGE_SENDER,
                      VoiceTrace.areaOf(controller),
                      VoiceTrace.cellOf(controller, 0),
                      large);
                  next[0] = (controller + 1L) % CONTROLLERS;
                  next[1] = until + BETWEEN_WATERMARKS;
                }
                ofMessages.send();
                ofChannels.send();
              },
              pipeline.config().topic(),
              command -> crossing(command, crossed),
              Duration.ofSeconds(seconds / 2),
              Duration.ofSeconds(seconds));
      for (int percent : new int[] {50, 99}) {
        Figure figure = delay(percent, delays.millis(percent), "log", rate, delays.count());
        context.report(figure.with("sender_behind_ms", delays.behindMillis()));
      }
    }
  }

  /** A short window, which one large message fills; when that has left it, the limit ends. */
  private static VoiceConfig paced(Path cells, long large) {
    VoiceConfig usual = VoiceConfig.defaults();
    return new VoiceConfig(
        true,
        LANES,
        cells.toString(),
        Duration.ofMillis(PACED_STEP / 1_000),
        Duration.ofSeconds(1),
        Duration.ZERO,
        usual.report(),
        0.4,
        0.3,
        large / 2,
        large / 4,
        Duration.ofMillis(DISORDER / 1_000),
        usual.messages(),
        usual.channels(),
        usual.topic(),
        usual.release(),
        null);
  }

  /** When what brought a command about was sent; none for a release, behind which it may again. */
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
        Figure.of(name(), "p" + percent + "_ms", millis, "ms")
            .with("source", source)
            .with("rate", Math.round(rate))
            .with("commands", commands)
            .with("step_ms", PACED_STEP / 1_000)
            .with("lateness_ms", DISORDER / 1_000);
    return percent == 99 ? figure.aiming(Target.atMost(200)) : figure;
  }

  /** Eight times what a controller's other messages have in a window, at most. */
  private static long large(double rate) {
    return Math.max(LARGE_BYTES, 8 * (long) (rate / CONTROLLERS * MOST_BYTES));
  }

  /** No record to come is of the time in front of it. */
  private static void mark(List<Lane> lanes, long moment) {
    lanes.forEach(lane -> lane.mark(moment - 1, moment + DISORDER));
  }

  private static void commands(TableBlock commands, ConcurrentLinkedQueue<String> given) {
    for (int row = 0; row < commands.rows(); row++) {
      given.add(
          commands.longs(1)[row] + " " + commands.texts(2).get(row) + " " + commands.longs(0)[row]);
    }
  }

  /** A second of records is made, then the clock goes on for a second. */
  private void reportDelay(BenchContext context, ExecutorService threads, double rate)
      throws Exception {
    long large = large(rate);
    VoiceRules rules =
        new VoiceRules(PACED_STEP, MICROS, 0, MICROS, 0.4, 0.3, large / 2, large / 4);
    VoiceTrace trace = new VoiceTrace(CONTROLLERS, START, rate, seed(context));
    ConcurrentHashMap<Long, Long> crossed = new ConcurrentHashMap<>();
    ConcurrentLinkedQueue<Long> delays = new ConcurrentLinkedQueue<>();
    long[] nanosOfStart = new long[1];
    Lane.Clock clock = () -> START + (System.nanoTime() - nanosOfStart[0]) / 1_000;
    CellTable cells = cells();
    List<Lane> lanes = new ArrayList<>();
    for (int i = 0; i < LANES; i++) {
      lanes.add(new Lane(rules, cells, commands -> delays(commands, crossed, clock, delays)));
    }
    int seconds = context.secondsOr(PACED_SECONDS);
    long marked = START;
    long expected = 0;
    long next = 0; // controller that gets a large message
    for (int second = 1; second <= seconds; second++) {
      context.progress().accept("voice, second " + second + " of " + seconds);
      long until = START + second * MICROS;
      while (trace.moment() < until) {
        trace.next();
        lanes.get(Lane.of(trace.controller())).add(trace, trace.moment());
        if (trace.moment() - marked >= BETWEEN_WATERMARKS) {
          marked = trace.moment();
          if (crossed.putIfAbsent(next, marked + DISORDER) == null) {
            addLarge(lanes, (int) next, large, marked);
            expected++;
          }
          next = (next + 1) % CONTROLLERS;
          mark(lanes, marked);
        }
      }
      if (second <= seconds / WARM_UP) {
        delays.clear();
        expected = crossed.size();
      }
      nanosOfStart[0] = System.nanoTime() - (second - 1) * 1_000_000_000L - DISORDER * 1_000;
      var unused = run(threads, lanes, lane -> lane.runPaced(clock));
    }
    report(context, rate, delays.stream().mapToLong(Long::longValue).sorted().toArray(), expected);
  }

  private static void addLarge(List<Lane> lanes, int controller, long large, long moment) {
    Lane lane = lanes.get(Lane.of(controller));
    lane.addShare(moment, controller, 1, moment);
    lane.addMessage(
        moment + DISORDER / 2,
        LARGE_SENDER,
        VoiceTrace.areaOf(controller),
        VoiceTrace.cellOf(controller, 0),
        large,
        moment);
  }

  private static void delays(
      TableBlock commands,
      ConcurrentHashMap<Long, Long> crossed,
      Lane.Clock clock,
      ConcurrentLinkedQueue<Long> delays) {
    for (int row = 0; row < commands.rows(); row++) {
      if (commands.texts(2).get(row).equals(VoiceGuard.LIMIT)) {
        delays.add(clock.micros() - crossed.get(commands.longs(1)[row]));
      } else {
        var unused = crossed.remove(commands.longs(1)[row]);
      }
    }
  }

  private void report(BenchContext context, double rate, long[] delays, long expected) {
    if (delays.length < expected / 2) {
      throw new WrongResultException(delays.length + " commands of " + expected + " crossings");
    }
    for (int percent : new int[] {50, 99}) {
      double millis = delays[Math.min(delays.length - 1, delays.length * percent / 100)] / 1e3;
      context.report(delay(percent, millis, "memory", rate, delays.length));
    }
  }

  private static long seed(BenchContext context) {
    return context.seed() == 0 ? SEED : context.seed();
  }

  private static CellTable cells() throws IOException {
    return new CellTable.Csv().parse(cellsText().getBytes(StandardCharsets.UTF_8));
  }

  private static String cellsText() {
    StringBuilder csv = new StringBuilder("area,cell,controller\n");
    for (int controller = 0; controller < CONTROLLERS; controller++) {
      for (int cell = 0; cell < VoiceTrace.CELLS; cell++) {
        csv.append(VoiceTrace.areaOf(controller))
            .append(',')
            .append(VoiceTrace.cellOf(controller, cell))
            .append(',')
            .append(controller)
            .append('\n');
      }
    }
    return csv.toString();
  }

  /** What a lane does. */
  @FunctionalInterface
  private interface Work {
    void of(Lane lane) throws Exception;
  }

  /** Seconds that the lanes need together. */
  private static double run(ExecutorService threads, List<Lane> lanes, Work work) throws Exception {
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

  /** What controllers must be told, found from all bytes of each step at the end. */
  private static final class Truth {
    private final VoiceRules rules;
    private final int steps;
    private final long[][] bytes;
    private final double[][] shares;
    private final long[][] shareTimes;

    Truth(VoiceRules rules, int seconds) {
      this.rules = rules;
      steps = (int) (seconds * MICROS / rules.stepMicros());
      bytes = new long[CONTROLLERS][steps + 1];
      shares = new double[CONTROLLERS][steps + 1];
      shareTimes = new long[CONTROLLERS][steps + 1];
    }

    void add(VoiceTrace trace) {
      int step = (int) Math.min(steps, (trace.time() - START) / rules.stepMicros());
      int controller = trace.controller();
      if (trace.isMessage()) {
        bytes[controller][step] += trace.bytes();
      } else if (trace.time() >= shareTimes[controller][step]) {
        shareTimes[controller][step] = trace.time();
        shares[controller][step] = trace.inUse();
      }
    }

    String[] commands() {
      List<String> commands = new ArrayList<>();
      int window = (int) (rules.windowMicros() / rules.stepMicros());
      for (int controller = 0; controller < CONTROLLERS; controller++) {
        boolean isLimited = false;
        int calm = 0;
        for (int moment = 1; moment <= steps; moment++) {
          long sum = 0;
          double share = Double.NaN;
          for (int step = Math.max(0, moment - window); step < moment; step++) {
            sum += bytes[controller][step];
            share = shareTimes[controller][step] > 0 ? shares[controller][step] : share;
          }
          boolean isCalm = share < rules.voiceBelow() || sum < rules.volumeBelow();
          calm = isCalm ? calm + 1 : 0;
          boolean before = isLimited;
          if (!isLimited && share > rules.voiceAbove() && sum > rules.volumeAbove()) {
            isLimited = true;
          } else if ((calm - 1) * rules.stepMicros() >= rules.holdMicros()) {
            isLimited = false;
          }
          if (isLimited != before) {
            commands.add(
                controller
                    + (isLimited ? " limit " : " release ")
                    + (START + moment * rules.stepMicros()));
          }
        }
      }
      return commands.stream().sorted().toArray(String[]::new);
    }
  }
}
