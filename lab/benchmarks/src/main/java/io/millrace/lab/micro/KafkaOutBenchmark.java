package io.millrace.lab.micro;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.lab.endtoend.DemoSets;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.flows.FlowJoiner;
import io.millrace.pipelines.kafka.BlockMessages;
import io.millrace.pipelines.kafka.KafkaOutConfig;
import io.millrace.pipelines.kafka.OutFormat;
import io.millrace.wire.block.FlowBlock;
import java.util.Arrays;
import java.util.Locale;

/**
 * Encodes flows joined with AS and DNS as messages, in each format, with all columns: the cost of
 * the Kafka output without Kafka's producer.
 */
public final class KafkaOutBenchmark extends Benchmark {
  private static final int ROWS = 4_096;
  private static final int PASSES = 100;
  private static final int ROUNDS = 5;

  public KafkaOutBenchmark() {
    super("kafka.out", "joined flows encoded as messages for Kafka in each format, one thread");
  }

  @Override
  public void run(BenchContext context) throws Exception {
    DemoSets sets = DemoSets.in(context);
    FlowJoiner joiner = new FlowJoiner(DatasetDeclaration.toConfigs(sets.declarations()));
    joiner.open(AnalyzerContext.alone());
    try {
      FlowBlock[] joined = new FlowBlock[1];
      joiner.process(SampledFlows.block(ROWS, sets.pool()), block -> joined[0] = block);
      for (OutFormat format : OutFormat.values()) {
        run(context, format, sets, joined[0]);
      }
    } finally {
      joiner.close();
    }
  }

  private void run(BenchContext context, OutFormat format, DemoSets sets, FlowBlock block)
      throws Exception {
    KafkaOutConfig config =
        KafkaOutConfig.NONE.withTopic("bench").withFormat(format, KafkaOutConfig.NONE.batch());
    long[] written = new long[2];
    try (BlockMessages messages = new BlockMessages(config, sets.declarations())) {
      double rate =
          BenchContext.rate(
              ROUNDS,
              PASSES,
              ROWS,
              pass -> {
                Arrays.fill(written, 0);
                messages.encode(
                    block,
                    message -> {
                      written[0]++;
                      written[1] += message.length;
                    });
              });
      int most = format.holdsMany() ? config.batch() : 1;
      WrongResultException.check("messages", (ROWS + most - 1) / most, written[0]);
      String label = format.name().toLowerCase(Locale.ROOT).replace('_', '-');
      context.report(
          Figure.of(name(), "rate", rate, "rows")
              .with("format", label)
              .with("bytes_per_row", Math.round((double) written[1] / ROWS))
              .with("rows_per_message", most)
              .with("rounds", ROUNDS));
    }
  }
}
