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
 * Messages to commands, from memory: look-up of cells, sums and judgement on two threads, each with
 * the controllers that are its own. First as fast as it goes, over a little more than a window of
 * five minutes. Then at half that rate by the clock: now and then a large message takes a
 * controller beyond its bound, and from when that message has come until the command is there is
 * the delay. Records are made a stretch at a time, outside the time that counts. Last the whole
 * job: over a log that is full, and then, at half that rate, over one that is written by the clock.
 */
public final class VoiceBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Seed seedOption = new Seed();

  private static final long SEED = 1;

  static final String NAME = "voice";

  private static final long MESSAGES = 40_000_000;
  private static final int SECONDS = 400; // of event time: beyond minute 5, when some are busy
  private static final int STRETCH = 2_000_000;
  private static final int WATERMARK = 100_000;
  private static final double MEAN_BYTES = 18_384;

  /** As the truth has them, up to the last moment that it knows. */
  private static final String COMMANDS =
      "SELECT controller || ' ' || command || ' ' || epoch_us(time) FROM voice_commands"
          + " WHERE epoch_us(time) <= "
          + (VoiceLoad.START + SECONDS * VoiceLoad.MICROS);

  public VoiceBenchmark() {
    super(
        NAME,
        "messages to commands for controllers: messages a second, delay of commands",
        Duration.ofSeconds(140));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    context.lines().accept("published: a system that does this, without any figure");
    VoiceDelays delays =
        new VoiceDelays(context, secondsOption.or(VoiceDelays.PACED_SECONDS), seedOption.or(SEED));
    double rate = reportRate(context);
    delays.ofMemory(Math.min(rate / 2, (double) rowsOption.or(MESSAGES)));
    // No more than a quarter of the messages a second: with very few messages the measured rate
    // says nothing.
    delays.ofLog(Math.min(reportLogRate(context) / 2, rowsOption.or(MESSAGES) / 4.0));
  }

  /** A controller is beyond the volume when it has a tenth more than the mean of a window. */
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
        long stretch = Math.min(STRETCH, messages - made);
        for (long i = 0; i < stretch; ) {
          trace.next();
          truth.add(trace);
          VoiceLoad.add(trace, lanes);
          i += trace.isMessage() ? 1 : 0;
          if (trace.isMessage() && i % WATERMARK == 0) {
            VoiceLoad.mark(lanes, trace.moment());
          }
        }
        VoiceLoad.mark(lanes, trace.moment());
        made += stretch;
        double took = lanes.run(VoiceLane::run);
        if (made > messages / 4) { // before, it warms up
          seconds += took;
          warm += stretch;
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

  /** From the log: decoding, look-up, exchange, judgement and the table. */
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

  /** The same rules as a configuration. */
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
              + " where they must be "
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
