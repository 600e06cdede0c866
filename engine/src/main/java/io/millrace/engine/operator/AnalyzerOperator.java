package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.engine.UnmendableException;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.RawBatch;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Hosts an analyzer: opens it, hands it each block, and counts. The counters are {@code blocksIn},
 * {@code rowsIn}, {@code blocksOut}, {@code rowsOut}, and {@code busyNanos}: time in the analyzer
 * and in the steps that follow it on the same thread.
 */
final class AnalyzerOperator<I extends Block, O extends Block> extends AbstractStreamOperator<O>
    implements OneInputStreamOperator<I, O>, Emitter<O> {
  private static final long serialVersionUID = 1L;

  /** Where the analyzer's rejects go. */
  static final OutputTag<RawBatch> REJECTS = new OutputTag<>("rejects", BlockTypeInfo.RAW);

  private final transient AnalyzerFactory<I, O> factory;
  private transient Analyzer<I, O> analyzer;
  private transient StreamRecord<O> record;
  private transient Counter blocksIn;
  private transient Counter rowsIn;
  private transient Counter blocksOut;
  private transient Counter rowsOut;
  private transient Counter busyNanos;

  AnalyzerOperator(StreamOperatorParameters<O> parameters, AnalyzerFactory<I, O> factory) {
    super(parameters);
    this.factory = factory;
  }

  @Override
  public void open() throws Exception {
    super.open();
    MetricGroup metrics = getMetricGroup();
    blocksIn = metrics.counter("blocksIn");
    rowsIn = metrics.counter("rowsIn");
    blocksOut = metrics.counter("blocksOut");
    rowsOut = metrics.counter("rowsOut");
    busyNanos = metrics.counter("busyNanos");
    record = new StreamRecord<>(null);
    TaskInfo task = getRuntimeContext().getTaskInfo();
    try {
      analyzer =
          factory.create(
              new Subtask(
                  task.getIndexOfThisSubtask(), task.getNumberOfParallelSubtasks(), metrics));
      analyzer.open();
    } catch (UnmendableException e) {
      throw new SuppressRestartsException(e);
    }
  }

  @Override
  public void processElement(StreamRecord<I> element) throws Exception {
    I block = element.getValue();
    blocksIn.inc();
    rowsIn.inc(block.rows());
    long start = System.nanoTime();
    try {
      analyzer.process(block, this);
    } catch (UnmendableException e) {
      throw new SuppressRestartsException(e);
    }
    busyNanos.inc(System.nanoTime() - start);
  }

  @Override
  public void emit(O block) {
    blocksOut.inc();
    rowsOut.inc(block.rows());
    output.collect(record.replace(block));
  }

  @Override
  public void reject(RawBatch rejected) {
    output.collect(REJECTS, new StreamRecord<>(rejected));
  }

  @Override
  public void close() throws Exception {
    if (analyzer != null) {
      analyzer.close();
      analyzer = null;
    }
    super.close();
  }
}
