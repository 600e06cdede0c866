package io.millrace.pipelines.kafka;

import io.millrace.engine.sink.TopicSink;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.message.FlowEncoder;
import io.millrace.wire.message.JoinedTexts;
import io.millrace.wire.message.MessageBuffer;
import io.millrace.wire.message.OutputColumn;
import io.millrace.wire.message.OutputColumns;
import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Encodes joined blocks as messages, each with as many flows as format, setting and Kafka's limit
 * allow. Not thread-safe.
 */
public final class BlockMessages implements TopicSink.Messages<FlowBlock> {
  /** Less than the brokers' default limit of 1 MB, including headers. */
  static final int MAX_MESSAGE_BYTES = 900 << 10;

  private final int mostRows;
  private final FlowEncoder encoder;
  private final TextResolver resolver;
  private final JoinedTexts texts = new JoinedTexts();
  private final MessageBuffer buffer = new MessageBuffer();

  /**
   * Creates an encoder of blocks joined with these data sets.
   *
   * @throws IOException if a data set cannot be read
   */
  public BlockMessages(KafkaOutConfig config, Map<String, DatasetDeclaration> datasets)
      throws IOException {
    OutputColumns columns = KafkaOut.columns(config, datasets);
    mostRows = config.format().holdsMany() ? config.batch() : 1;
    resolver = new TextResolver(DatasetDeclaration.toConfigs(datasets), wanted(columns, datasets));
    encoder = config.format().encoder(columns);
  }

  private static boolean[] wanted(OutputColumns columns, Map<String, DatasetDeclaration> datasets) {
    boolean[] wanted = new boolean[KafkaOut.joined(datasets).size()];
    for (OutputColumn column : columns.list()) {
      if (column.joined() >= 0) {
        wanted[column.joined()] = true;
      }
    }
    return wanted;
  }

  /** Encodes a block without changing it. */
  @Override
  public void encode(FlowBlock block, Consumer<byte[]> out) {
    int rows = block.rows();
    if (rows == 0) {
      return;
    }
    resolver.resolve(block, texts);
    encoder.begin(block, texts);
    for (int from = 0; from < rows; from += mostRows) {
      encode(encoder, buffer, from, Math.min(rows, from + mostRows), out);
    }
  }

  static void encode(
      FlowEncoder encoder, MessageBuffer buffer, int from, int to, Consumer<byte[]> out) {
    buffer.length(0);
    encoder.encode(from, to, buffer);
    if (buffer.length() > MAX_MESSAGE_BYTES && to - from > 1) {
      int middle = (from + to) >>> 1;
      encode(encoder, buffer, from, middle, out);
      encode(encoder, buffer, middle, to, out);
    } else {
      out.accept(buffer.toBytes());
    }
  }

  @Override
  public void close() {
    encoder.close();
    resolver.close();
  }
}
