package io.millrace.store.remote;

import io.millrace.store.ExternalFileWriter;
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
  private ExternalFileWriter fileWriter;

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
  boolean writesFiles() {
    return fileWriter != null;
  }

  /** Description of the table for a peer that writes files. */
  String descriptor() throws ProtocolException {
    if (flows == null) {
      throw unknown(StoreProtocol.DESCRIBE);
    }
    return flows.tableDescriptor();
  }

  /** Executes messages whose response is a frontier; empty for others. */
  Optional<Frontier> frontier(int type, BlockInput body) throws ProtocolException {
    if (type == StoreProtocol.STORED) {
      if (flows == null) {
        throw unknown(type);
      }
      return Optional.of(flows.stored());
    }
    if (type == StoreProtocol.BEGIN && fileWriter != null) {
      fileWriter.begin(body.takeLong(), body.takeLong());
      return Optional.of(fileWriter.known());
    }
    return Optional.empty();
  }

  /** Replaces ids of texts by the stored ones. */
  long[] storedIds(BlockInput body) throws ProtocolException {
    long[] ids = new long[body.remaining() / Long.BYTES];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = body.takeLong();
    }
    requireFileWriter(StoreProtocol.STORED_IDS).toStored(ids);
    return ids;
  }

  private ExternalFileWriter requireFileWriter(int type) throws ProtocolException {
    if (fileWriter == null) {
      throw new ProtocolException(
          "message " + type + " from a writer that does not write files itself");
    }
    return fileWriter;
  }

  @SuppressWarnings("unchecked") // a session with a table of flows has its types
  private void switchToFiles() throws ProtocolException {
    if (flows == null) {
      throw unknown(StoreProtocol.WRITE_FILES);
    }
    sink.close();
    fileWriter = flows.externalFileSink();
    sink = (BlockSink<B, P>) fileWriter;
  }

  /** Executes a message; returns the response, empty for a message without one. */
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
      case StoreProtocol.WRITE_FILES -> switchToFiles();
      case StoreProtocol.END_BUFFER -> {
        int part = body.takeByte();
        if (part >= FlowPart.values().length) {
          throw new ProtocolException("unknown part " + part);
        }
        requireFileWriter(type).end(part, body.takeLong());
        return OptionalLong.empty();
      }
      case StoreProtocol.WRITTEN -> {
        requireFileWriter(type).written(body.takeLong(), body);
        return OptionalLong.empty();
      }
      case StoreProtocol.SEAL_FILES -> {
        long checkpoint = body.takeLong();
        requireFileWriter(type).seal(checkpoint, StoreProtocol.takeFrontier(body));
        return OptionalLong.empty();
      }
      case StoreProtocol.SYNC -> requireFileWriter(type).sync();
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
    return new ProtocolException("unknown message type " + type);
  }

  private void append(BlockInput body) throws ProtocolException {
    int length = body.remaining();
    Block block = BlockCodec.decode(body.bytes(), body.take(length), length);
    if (!blocks.isInstance(block)) {
      throw new ProtocolException(
          "unexpected block type, expected " + (flows == null ? "results" : "flows"));
    }
    sink.append(blocks.cast(block));
  }

  @Override
  public void close() {
    sink.close();
  }
}
