package io.millrace.lab.micro;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Rejects;
import io.millrace.wire.goflow2.FlowMessageDecoder;
import io.millrace.wire.goflow2.FlowMessageEncoder;
import io.millrace.wire.message.JoinedTexts;
import io.millrace.wire.message.MessageBuffer;
import io.millrace.wire.message.OutputColumns;
import java.io.IOException;
import java.util.List;

/** Decodes GoFlow2's protobuf messages of sampled packets from memory to a block. */
public final class FlowMessageBenchmark extends Benchmark {
  private static final int MESSAGES = 4_096;
  private static final int PASSES = 500;
  private static final int ROUNDS = 7;

  /** Columns of GoFlow2's message for a packet sampled by sFlow. */
  private static final List<String> COLUMNS =
      List.of(
          "time",
          "exporter",
          "src_addr",
          "dst_addr",
          "proto",
          "src_port",
          "dst_port",
          "bytes",
          "packets",
          "sampling_rate",
          "tcp_flags",
          "tos",
          "ether_type",
          "src_vlan",
          "dst_vlan",
          "in_if",
          "out_if");

  public FlowMessageBenchmark() {
    super("wire.flowpb", "GoFlow2's protobuf messages decoded to columns, one thread");
  }

  @Override
  public void run(BenchContext context) throws IOException {
    FlowBlock samples = SampledFlows.block(MESSAGES);
    FlowMessageEncoder encoder =
        new FlowMessageEncoder(OutputColumns.all(List.of()).select(COLUMNS), true);
    encoder.begin(samples, new JoinedTexts());
    MessageBuffer messages = new MessageBuffer();
    encoder.encode(0, MESSAGES, messages);
    FlowMessageDecoder decoder = new FlowMessageDecoder();
    FlowBlock block = new FlowBlock(MESSAGES);
    double rate =
        BenchContext.rate(
            ROUNDS,
            PASSES,
            MESSAGES,
            pass -> {
              block.clear();
              decoder.decodeDelimited(
                  messages.bytes(), 0, messages.length(), pass, block, Rejects.NONE);
            });
    WrongResultException.check("rows", MESSAGES, block.rows());
    context.report(
        Figure.of(name(), "rate", rate, "messages")
            .with("bytes_per_message", messages.length() / MESSAGES)
            .with("rounds", ROUNDS));
  }
}
