package io.millrace.pipelines.gateways;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.pipelines.DecodingFaults;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.gateway.GatewayBatch;
import io.millrace.wire.gateway.GatewayDecoder;
import io.millrace.wire.record.RecordErrors;
import java.util.List;

/** Decodes values of the log to records, with a side output for history. */
class GatewayDecoding implements Analyzer<RawBatch, GatewayBlock> {
  static final Output<GatewayBlock> HISTORY = new Output<>("history", GatewayBlock.class);

  private final GatewayDecoder decoder = new GatewayDecoder();
  private final RecordErrors errors = new RecordErrors(0);
  private final DecodingFaults faults = new DecodingFaults();
  private int expected = 16;
  private AnalyzerContext.Counter wrong;

  @Override
  public List<Output<?>> outputs() {
    return List.of(HISTORY);
  }

  @Override
  public void open(AnalyzerContext context) {
    wrong = context.counter("wrongRecords");
  }

  @Override
  public void process(RawBatch value, Emitter<GatewayBlock> out) {
    GatewayBlock block = new GatewayBlock(expected);
    errors.clear();
    try {
      decode(value, block);
    } catch (RuntimeException e) { // a bug, which must cost this value alone
      faults.add(value, e);
      wrong.add(1);
      out.reject(value);
      return;
    }
    if (!errors.isEmpty()) {
      wrong.add(errors.count());
      out.reject(value);
    }
    if (block.rows() > 0) {
      expected = block.rows();
      if (GatewayBatch.wrap(value.bytes(), value.length()).isBackfill()) {
        out.emit(HISTORY, block);
      } else {
        out.emit(block);
      }
    }
  }

  void decode(RawBatch value, GatewayBlock block) {
    decoder.decode(GatewayBatch.wrap(value.bytes(), value.length()), block, errors);
  }
}
