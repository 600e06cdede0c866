package io.millrace.store.remote;

import io.millrace.store.FlowTable;
import io.millrace.store.ResultTable;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.sink.BlockSink;
import java.io.IOException;
import java.util.OptionalLong;

/** Executes the messages of one connection on its table. Used by the connection's thread. */
final class WriterSession<B extends Block, P> implements AutoCloseable {
  private static final OptionalLong OK = OptionalLong.of(0);

  /** Decodes a checkpoint's coverage of the table. */
  private interface Coverage<P> {
    P take(BlockInput body) throws IOException;
  }

  private final BlockSink<B, P> sink;
  private final Class<B> blocks;
  private final Coverage<P> covered;

  /** Null for a table of results. */
  private final FlowTable flows;

  private WriterSession(
      BlockSink<B, P> sink, Class<B> blocks, Coverage<P> covered, FlowTable flows) {
    this.sink = sink;
    this.blocks = blocks;
    this.covered = covered;
    this.flows = flows;
  }

  static WriterSession<?, ?> of(FlowTable table) {
    return new WriterSession<>(table.sink(), FlowBlock.class, StoreProtocol::takeFrontier, table);
  }

  static WriterSession<?, ?> of(ResultTable table) {
    return new WriterSession<>(table.sink(), TableBlock.class, body -> body.takeLong(), null);
  }

  /** Returns the response, empty for a message without one. */
  OptionalLong work(int type, BlockInput body) throws IOException {
    boolean isOfFlows =
        type == StoreProtocol.COMMIT
            || type == StoreProtocol.NEWEST
            || type == StoreProtocol.BEGIN_EPOCH;
    if (isOfFlows && flows == null) {
      throw unknown(type);
    }
    switch (type) {
      case StoreProtocol.REWIND -> {
        long token = body.takeLong();
        sink.rewind(token, covered.take(body));
        sink.sync();
      }
      case StoreProtocol.BEGIN -> sink.begin(body.takeLong(), body.takeLong());
      case StoreProtocol.APPEND -> {
        append(body);
        return OptionalLong.empty();
      }
      case StoreProtocol.FLUSH -> {
        sink.flush();
        sink.sync();
      }
      case StoreProtocol.SEAL -> {
        long checkpoint = body.takeLong();
        sink.seal(checkpoint, covered.take(body));
        sink.sync();
      }
      case StoreProtocol.COMMIT -> {
        long checkpoint = body.takeLong();
        sink.commit(checkpoint, covered.take(body));
      }
      case StoreProtocol.NEWEST -> {
        return OptionalLong.of(flows.newestMicros());
      }
      case StoreProtocol.BEGIN_EPOCH ->
          flows.beginEpoch(
              StoreProtocol.takeFrontier(body),
              StoreProtocol.takeFrontier(body),
              StoreProtocol.takeFrontier(body));
      default -> throw unknown(type);
    }
    return OK;
  }

  Frontier stored() throws ProtocolException {
    if (flows == null) {
      throw unknown(StoreProtocol.STORED);
    }
    return flows.stored();
  }

  private static ProtocolException unknown(int type) {
    return new ProtocolException("a message of the unknown type " + type);
  }

  private void append(BlockInput body) throws ProtocolException {
    int length = body.remaining();
    Block block = BlockCodec.decode(body.bytes(), body.take(length), length);
    if (!blocks.isInstance(block)) {
      throw new ProtocolException(
          "a block that is not one of " + (flows == null ? "results" : "flows"));
    }
    sink.append(blocks.cast(block));
  }

  @Override
  public void close() {
    sink.close();
  }
}
