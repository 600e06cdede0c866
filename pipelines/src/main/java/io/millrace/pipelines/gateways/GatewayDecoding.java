package io.millrace.pipelines.gateways;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.pipelines.DecodingFaults;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.gateway.GatewayBatch;
import io.millrace.wire.gateway.GatewayDecoder;
import io.millrace.wire.record.RecordErrors;

/**
 * Values of the log to records. What cannot be read is counted and set aside whole: the server has
 * checked it before it came into the log.
 */
class GatewayDecoding implements Analyzer<RawBatch, GatewayBlock> {
  private final GatewayDecoder decoder = new GatewayDecoder();
  private final RecordErrors errors = new RecordErrors(0);
  private final DecodingFaults faults = new DecodingFaults();
  private int expected = 16;
  private AnalyzerContext.Counter wrong;

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
    } catch (RuntimeException e) { // a fault of ours, which must cost this value alone
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
      out.emit(block);
    }
  }

  void decode(RawBatch value, GatewayBlock block) {
    decoder.decode(GatewayBatch.wrap(value.bytes(), value.length()), block, errors);
  }
}
