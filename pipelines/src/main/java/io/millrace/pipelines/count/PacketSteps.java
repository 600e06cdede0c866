package io.millrace.pipelines.count;

import io.millrace.analytics.packets.PacketDecoding;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.source.LogSource;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.Run;
import io.millrace.wire.block.PacketBlock;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The first steps of every job that reads packets: {@code NAME-log}, {@code NAME-decode} and {@code
 * NAME-dead-letters}.
 *
 * @param name with which the names of the steps begin; never to be changed
 */
public record PacketSteps(String name) {
  /** Counter of the packets that were decoded. */
  public String packets() {
    return decodeStep() + ".rowsOut";
  }

  /** Counter of the values that hold no packets. */
  String wrong() {
    return decodeStep() + '.' + PacketDecoding.WRONG;
  }

  /** The values that hold no packets, as a figure. */
  public Figure wrongValues() {
    return new Figure("wrong_values", "values of the log that hold no packets", wrong());
  }

  private String decodeStep() {
    return name + "-decode";
  }

  /**
   * Adds them.
   *
   * @param lateness how much older than the newest of its partition a packet may be, where event
   *     time is wanted: that of capture, but never later than the log has taken the packets
   */
  public SingleOutputStreamOperator<PacketBlock> addTo(
      StreamExecutionEnvironment job, Run run, Optional<Duration> lateness) {
    LogSource log = run.source(CountPipeline.TOPIC);
    SingleOutputStreamOperator<PacketBlock> packets =
        Analyzers.analyze(
            lateness
                .map(by -> log.withRecordTimes(new PacketTime(), by, Run.SILENCE))
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
