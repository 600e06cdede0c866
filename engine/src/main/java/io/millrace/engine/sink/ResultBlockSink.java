package io.millrace.engine.sink;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.millrace.analytics.keyed.KeyBytes;
import io.millrace.analytics.keyed.KeyColumns;
import io.millrace.engine.operator.Subtask;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.flink.metrics.Counter;

/**
 * Sink to a topic of results. Writes the identities of results to a second topic in the same
 * transaction. After a restart it reads them, and drops reproduced results with the same
 * identities.
 */
final class ResultBlockSink implements BlockSink<TableBlock, Long> {
  private static final JsonFactory JSON = new JsonFactory();

  private final ResultTopic topic;
  private final KeyColumns identity;
  private final int key;
  private final int time;
  private final int subtask;
  private final TopicTransactions transactions;
  private final Counter repeated;
  private final WrittenResults written = new WrittenResults();
  private final KeyBytes values = new KeyBytes();
  private final ByteArrayOutputStream message = new ByteArrayOutputStream();

  ResultBlockSink(ResultTopic topic, Subtask subtask) {
    this.topic = topic;
    identity = KeyColumns.of(topic.schema(), topic.identity().toArray(String[]::new));
    key = topic.schema().indexOf(topic.identity().get(0));
    time = topic.schema().indexOf(topic.time());
    this.subtask = subtask.index();
    transactions = new TopicTransactions(topic.sink(), subtask.index());
    repeated = subtask.metrics().counter(ResultTopic.REPEATED);
  }

  @Override
  public void rewind(long token, Long covered) {
    transactions.fence(token);
  }

  @Override
  public void begin(long token, long checkpoint) {
    transactions.begin(token, written::take);
  }

  @Override
  public void append(TableBlock block) {
    for (int row = 0; row < block.rows(); row++) {
      ResultId id = ResultId.of(topic.name(), identity.read(block, row, values));
      if (written.add(id, block.longs(time)[row])) {
        String text = block.text(row, key);
        transactions.send(
            text == null ? null : text.getBytes(StandardCharsets.UTF_8), json(block, row, id));
      } else {
        repeated.inc();
      }
    }
  }

  /** JSON of identity and columns; null values are omitted. */
  private byte[] json(TableBlock block, int row, ResultId id) {
    message.reset();
    TableSchema schema = topic.schema();
    try (JsonGenerator out = JSON.createGenerator(message)) {
      out.writeStartObject();
      out.writeStringField(ResultTopic.ID, id.toString());
      for (int column = 0; column < schema.size(); column++) {
        String text = block.text(row, column);
        if (text == null) {
          continue;
        }
        out.writeFieldName(schema.columns().get(column).name());
        switch (schema.type(column)) {
          case TIME, LONG -> out.writeNumber(block.longs(column)[row]);
          case DOUBLE -> out.writeNumber(block.doubles(column)[row]);
          case ADDRESS, TEXT -> out.writeString(text);
        }
      }
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // writes to memory
    }
    return message.toByteArray();
  }

  @Override
  public void flush() {
    transactions.commit(written::takeAdded);
  }

  @Override
  public void commit(long checkpoint, Long passed) {
    // Identities from before the restart are kept until their results can no longer be reproduced.
    if (written.forget(passed) && subtask == 0) {
      transactions.prune(List::of);
    }
  }

  @Override
  public void close() {
    transactions.close();
  }
}
