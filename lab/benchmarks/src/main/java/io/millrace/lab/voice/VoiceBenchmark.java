package io.millrace.lab.voice;

import io.millrace.analytics.voice.VoiceRecords;
import io.millrace.analytics.voice.VoiceRules;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.Seed;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.records.Lanes;
import io.millrace.lab.records.RecordFill;
import io.millrace.lab.records.RecordRun;
import io.millrace.pipelines.voice.VoiceConfig;
import io.millrace.pipelines.voice.VoicePipeline;
import io.millrace.traffic.voice.VoiceTrace;
import io.millrace.wire.block.TableBlock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import picocli.CommandLine.Mixin;

/**
 * Computes commands from messages in memory: look-up of cells, sums and evaluation on two threads,
 * each with its own controllers. The first phase runs at full speed, over slightly more than a
 * window of five minutes. The second runs at half that rate in real time: large messages take
 * controllers over their limit, and the latency is measured from such a message to its command.
 * Records are generated in batches outside the measured time. The last phases run the whole job:
 * over a filled log, then at half that rate over one written in real time.
 */
public final class VoiceBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Seed seedOption = new Seed();

  private static final long SEED = 1;

  static final String NAME = "voice";

  private static final long MESSAGES = 40_000_000;
  private static final int SECONDS = 400; // of event time; controllers are busy from minute 5 on
  private static final int BATCH = 2_000_000;
  private static final int WATERMARK = 100_000;
  private static final double MEAN_BYTES = 18_384;

  /** Queries commands in the format of {@link VoiceTruth}, up to its end. */
  private static final String COMMANDS =
      "SELECT controller || ' ' || command || ' ' || epoch_us(time) FROM voice_commands"
          + " WHERE epoch_us(time) <= "
          + (VoiceLoad.START + SECONDS * VoiceLoad.MICROS);

  public VoiceBenchmark() {
    super(
        NAME,
        "commands to controllers from messages: messages per second, latency of commands",
        Duration.ofSeconds(140));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    context.lines().accept("published: a system for the same task, no figures");
    VoiceDelays delays =
        new VoiceDelays(context, secondsOption.or(VoiceDelays.PACED_SECONDS), seedOption.or(SEED));
    double rate = reportRate(context);
    delays.ofMemory(Math.min(rate / 2, (double) rowsOption.or(MESSAGES)));
    // At most a quarter of the messages per second: with very few messages the measured rate is
    // meaningless.
    delays.ofLog(Math.min(reportLogRate(context) / 2, rowsOption.or(MESSAGES) / 4.0));
  }

  /** Returns rules with a volume limit of 1.1 times a controller's mean volume per window. */
  private static VoiceRules rules(long messages) {
    long volume =
        (long) (messages / (double) SECONDS / VoiceLoad.CONTROLLERS * 300 * MEAN_BYTES * 1.1);
    return new VoiceRules(
        VoiceLoad.MICROS / 10,
        300 * VoiceLoad.MICROS,
        5 * VoiceLoad.MICROS,
        5 * VoiceLoad.MICROS,
        0.9,
        0.8,
        volume,
        volume / 2);
  }

  private VoiceTrace trace(long messages) {
    return new VoiceTrace(
        VoiceLoad.CONTROLLERS, VoiceLoad.START, messages / (double) SECONDS, seedOption.or(SEED));
  }

  private double reportRate(BenchContext context) throws Exception {
    long messages = rowsOption.or(MESSAGES);
    VoiceRules rules = rules(messages);
    VoiceTrace trace = trace(messages);
    VoiceTruth truth = new VoiceTruth(rules, SECONDS);
    ConcurrentLinkedQueue<String> given = new ConcurrentLinkedQueue<>();
    double seconds = 0;
    long warm = 0;
    long made = 0;
    try (Lanes<VoiceLane> lanes = VoiceLoad.lanes(rules, commands -> commands(commands, given))) {
      while (made < messages) {
        context.progress().accept("voice, " + made / 1_000_000 + " M messages");
        long batch = Math.min(BATCH, messages - made);
        for (long i = 0; i < batch; ) {
          trace.next();
          truth.add(trace);
          VoiceLoad.add(trace, lanes);
          i += trace.isMessage() ? 1 : 0;
          if (trace.isMessage() && i % WATERMARK == 0) {
            VoiceLoad.mark(lanes, trace.moment());
          }
        }
        VoiceLoad.mark(lanes, trace.moment());
        made += batch;
        double took = lanes.run(VoiceLane::run);
        if (made > messages / 4) { // the first quarter is the warm-up
          seconds += took;
          warm += batch;
        }
      }
      VoiceLoad.mark(lanes, VoiceLoad.START + SECONDS * VoiceLoad.MICROS);
      var unused = lanes.run(VoiceLane::run);
    }
    check(truth, given);
    double rate = warm / seconds;
    context.report(
        Figure.of(name(), "rate", rate, "messages")
            .with("source", "memory")
            .with("messages", messages)
            .with("controllers", VoiceLoad.CONTROLLERS)
            .with("commands", given.size())
            .with("threads", Lanes.COUNT)
            .aiming(Target.atLeast(5e6)));
    return rate;
  }

  /** Measures the rate from the log: decoding, look-up, shuffle, evaluation and table. */
  private double reportLogRate(BenchContext context) throws Exception {
    long messages = rowsOption.or(MESSAGES) / 2;
    Path directory = Files.createDirectories(context.directory().resolve("voice"));
    Path file = Files.writeString(directory.resolve("cells.csv"), VoiceLoad.cellsText());
    VoiceRules rules = rules(messages);
    VoicePipeline pipeline = new VoicePipeline(ofLog(rules, file));
    VoiceTrace trace = trace(messages);
    VoiceTruth truth = new VoiceTruth(rules, SECONDS);
    try (RecordRun run = new RecordRun(directory, pipeline, Lanes.COUNT)) {
      context.progress().accept("voice, filling the log");
      long reports = 0;
      try (RecordFill ofMessages = run.fill(VoiceRecords.MESSAGES);
          RecordFill ofChannels = run.fill(VoiceRecords.CHANNELS)) {
        for (long made = 0; made < messages; ) {
          trace.next();
          truth.add(trace);
          VoiceLoad.add(trace, ofMessages, ofChannels);
          made += trace.isMessage() ? 1 : 0;
          reports += trace.isMessage() ? 0 : 1;
        }
      }
      context.progress().accept("voice, from the log");
      double rate = run.runToEnd(messages + reports);
      List<String> commands = run.texts(COMMANDS);
      check(truth, commands);
      context.report(
          Figure.of(name(), "rate", rate, "messages")
              .with("source", "log")
              .with("messages", messages)
              .with("controllers", VoiceLoad.CONTROLLERS)
              .with("commands", commands.size())
              .with("slots", Lanes.COUNT)
              .aiming(Target.atLeast(5e6)));
      return rate;
    }
  }

  /** Returns the rules as a configuration. */
  private static VoiceConfig ofLog(VoiceRules rules, Path cells) {
    return VoiceConfig.defaults()
        .running(Lanes.COUNT, cells.toString(), null)
        .with(
            to ->
                to.hold(Duration.ofMillis(rules.holdMicros() / 1_000))
                    .volumeAboveBytes(rules.volumeAbove())
                    .volumeBelowBytes(rules.volumeBelow()));
  }

  private static void check(VoiceTruth truth, Collection<String> given) {
    String[] commands = given.stream().sorted().toArray(String[]::new);
    if (commands.length == 0 || !Arrays.equals(truth.commands(), commands)) {
      throw new WrongResultException(
          "commands "
              + Arrays.toString(commands)
              + ", expected "
              + Arrays.toString(truth.commands()));
    }
  }

  private static void commands(TableBlock commands, ConcurrentLinkedQueue<String> given) {
    for (int row = 0; row < commands.rows(); row++) {
      given.add(
          commands.longs(1)[row] + " " + commands.texts(2).get(row) + " " + commands.longs(0)[row]);
    }
  }
}
