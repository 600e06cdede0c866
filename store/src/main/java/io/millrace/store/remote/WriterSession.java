package io.millrace.store.remote;

import io.millrace.store.FiledFlowWriter;
import io.millrace.store.FlowTable;
import io.millrace.store.ResultTable;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.sink.BlockSink;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/** Executes the messages of one connection on its table. Used by the connection's thread. */
final class WriterSession<B extends Block, P> implements AutoCloseable {
  private static final OptionalLong OK = OptionalLong.of(0);

  /** Decodes a checkpoint's coverage of the table. */
  private interface Coverage<P> {
    P take(BlockInput body) throws IOException;
  }

  private BlockSink<B, P> sink;
  private final Class<B> blocks;
  private final Coverage<P> covered;

  /** Null for a table of results. */
  private final FlowTable flows;

  /** The sink, if the peer writes the files itself; null otherwise. */
  private FiledFlowWriter filed;

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

  /** Whether the peer writes the files itself. */
  boolean isFiling() {
    return filed != null;
  }

  /** What the peer needs to write files. */
  String terms() throws ProtocolException {
    if (flows == null) {
      throw unknown(StoreProtocol.TERMS);
    }
    return flows.fileTerms();
  }

  /** Executes messages that are answered by a frontier; empty for others. */
  Optional<Frontier> frontier(int type, BlockInput body) throws ProtocolException {
    if (type == StoreProtocol.STORED) {
      if (flows == null) {
        throw unknown(type);
      }
      return Optional.of(flows.stored());
    }
    if (type == StoreProtocol.BEGIN && filed != null) {
      filed.begin(body.takeLong(), body.takeLong());
      return Optional.of(filed.known());
    }
    return Optional.empty();
  }

  /** Ids of texts as they are stored. */
  long[] storedIds(BlockInput body) throws ProtocolException {
    long[] ids = new long[body.remaining() / Long.BYTES];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = body.takeLong();
    }
    filed(StoreProtocol.STORED_IDS).toStored(ids);
    return ids;
  }

  private FiledFlowWriter filed(int type) throws ProtocolException {
    if (filed == null) {
      throw new ProtocolException(
          "message " + type + " of a writer that does not write files itself");
    }
    return filed;
  }

  @SuppressWarnings("unchecked") // a session with a table of flows has its types
  private void file() throws ProtocolException {
    if (flows == null) {
      throw unknown(StoreProtocol.FILED);
    }
    sink.close();
    filed = flows.filedSink();
    sink = (BlockSink<B, P>) filed;
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
      case StoreProtocol.FILED -> file();
      case StoreProtocol.END_STRETCH -> {
        int part = body.takeByte();
        if (part >= FlowPart.values().length) {
          throw new ProtocolException("unknown part " + part);
        }
        filed(type).end(part, body.takeLong());
        return OptionalLong.empty();
      }
      case StoreProtocol.WRITTEN -> {
        filed(type).written(body.takeLong(), body);
        return OptionalLong.empty();
      }
      case StoreProtocol.SEAL_FILES -> {
        long checkpoint = body.takeLong();
        filed(type).seal(checkpoint, StoreProtocol.takeFrontier(body));
        return OptionalLong.empty();
      }
      case StoreProtocol.SYNC -> filed(type).sync();
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
