package io.millrace.pipelines.count;

import io.millrace.analytics.packets.PacketDecoding;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.source.LogSource;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.Run;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.PacketReject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The first steps of every job that reads packets: {@code NAME-log}, {@code NAME-decode} and {@code
 * NAME-dead-letters}.
 *
 * @param name prefix of the names of the steps; must never change
 */
public record PacketSteps(String name) {
  /** Counter of decoded packets. */
  public String packets() {
    return decodeStep() + ".rowsOut";
  }

  String invalid() {
    return decodeStep() + '.' + PacketDecoding.INVALID;
  }

  /** Number of values without packets, as a figure. */
  public Figure invalidValues() {
    return new Figure("invalid_values", "log values that contain no packets", invalid());
  }

  /** Figures of the packets that a step rejected, by reason. */
  public static List<Figure> rejects(String step, Set<PacketReject> reasons) {
    return reasons.stream()
        .map(
            reason ->
                new Figure(
                    reason.label().replace('-', '_'), reason.help(), step + '.' + reason.label()))
        .toList();
  }

  /**
   * Input problems with their remedies: values without packets, and reasons with a remedy for which
   * a step rejects at least 1% of the packets.
   *
   * @param pipeline name in the messages
   * @param step that counts the rejects
   */
  public List<String> problems(String pipeline, String step, Map<String, Long> counters) {
    List<String> problems = new ArrayList<>();
    long invalid = Pipeline.sum(counters, invalid());
    long packets = Pipeline.sum(counters, packets());
    long unknown = count(counters, step, PacketReject.UNKNOWN_LINK);
    long cut =
        count(
            counters,
            step,
            PacketReject.SHORT_FRAME,
            PacketReject.CUT_IP_HEADER,
            PacketReject.CUT_TRANSPORT_HEADER);
    if (invalid > 0) {
      problems.add(
          "%s: %d values of topic %s contain no packets: check their producer"
              .formatted(pipeline, invalid, CountPipeline.TOPIC));
    }
    if (unknown * 100 > packets) {
      problems.add(
          "%s: %d of %d packets have an unsupported link type: capture on another interface"
              .formatted(pipeline, unknown, packets));
    }
    if (cut * 100 > packets) {
      problems.add(
          "%s: %d of %d packets are truncated within their headers: raise the snap length of the"
                  .formatted(pipeline, cut, packets)
              + " capture (capture.snap-length)");
    }
    return problems;
  }

  private static long count(Map<String, Long> counters, String step, PacketReject... reasons) {
    return Stream.of(reasons)
        .mapToLong(reason -> Pipeline.sum(counters, step + '.' + reason.label()))
        .sum();
  }

  private String decodeStep() {
    return name + "-decode";
  }

  /**
   * Adds the steps.
   *
   * @param watermarkDelay maximum age of a packet, relative to the newest of its partition, without
   *     being late; empty without event time. Event time is capture, but not later than arrival
   */
  public SingleOutputStreamOperator<PacketBlock> addTo(
      StreamExecutionEnvironment job, Run run, Optional<Duration> watermarkDelay) {
    LogSource log = run.source(CountPipeline.TOPIC);
    SingleOutputStreamOperator<PacketBlock> packets =
        Analyzers.analyze(
            watermarkDelay
                .map(by -> log.withRecordTimes(new PacketTime(), by, Run.IDLE_TIMEOUT))
                .orElse(log)
                .addTo(job, name + "-log", run.parallelism()),
            decodeStep(),
            BlockTypeInfo.of(PacketBlock.FAMILY),
            run.parallelism(),
            subtask -> new PacketDecoding());
    run.deadLetters(packets, name + "-dead-letters");
    return packets;
  }
}
