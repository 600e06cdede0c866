package io.millrace.engine.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

/** An analyzer that changes its input blocks. */
class CopiedBlocksTest {
  private static final TableSchema SCHEMA = TableSchema.builder().number("n").build();
  private static final AnalyzerFactory<Analyzer<TableBlock, TableBlock>> DOUBLING =
      subtask ->
          (block, out) -> {
            for (int row = 0; row < block.rows(); row++) {
              block.longs(0)[row] *= 2;
            }
            out.emit(block);
          };

  /** The number in the analyzer's input block, and in the block that it emitted. */
  private static long[] numbers(AnalyzerFactory<Analyzer<TableBlock, TableBlock>> factory)
      throws Exception {
    TableBlock block = new TableBlock(SCHEMA, 4);
    block.longs(0)[2] = 7;
    block.rows(3);
    try (OneInputStreamOperatorTestHarness<TableBlock, TableBlock> step =
        new OneInputStreamOperatorTestHarness<>(
            BareAnalyzers.factory(factory), new MockEnvironmentBuilder().build())) {
      step.setup(BlockTypeInfo.TABLES.createSerializer(new SerializerConfigImpl()));
      step.open();
      step.processElement(new StreamRecord<>(block));
      TableBlock out = step.extractOutputValues().get(0);
      assertThat(out.rows()).isEqualTo(3);
      return new long[] {block.longs(0)[2], out.longs(0)[2]};
    }
  }

  @Test
  void anAnalyzerOfAJarGetsCopies() throws Exception {
    assertThat(numbers(DOUBLING)).containsExactly(14, 14);
    try (URLClassLoader jar = new URLClassLoader(new URL[0], getClass().getClassLoader())) {
      @SuppressWarnings("unchecked")
      AnalyzerFactory<Analyzer<TableBlock, TableBlock>> ofJar =
          (AnalyzerFactory<Analyzer<TableBlock, TableBlock>>)
              Proxy.newProxyInstance(
                  jar,
                  new Class<?>[] {AnalyzerFactory.class},
                  (proxy, method, arguments) -> DOUBLING.create((Subtask) arguments[0]));
      assertThat(numbers(ofJar)).containsExactly(7, 14);
    }
  }
}
