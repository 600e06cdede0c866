package io.millrace.store.remote;

import io.millrace.store.FlowInlet;
import io.millrace.store.FlowTable;
import io.millrace.store.TableInlet;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;

/** A connection's table of flows. */
final class FlowSession implements WriterSession {
  private static final OptionalLong OK = OptionalLong.of(0);

  private final FlowTable table;
  private final FlowInlet inlet;

  FlowSession(FlowTable table, Duration longestWait) {
    this.table = table;
    this.inlet = new TableInlet(table, longestWait);
  }

  Frontier committed() {
    return inlet.committed();
  }

  @Override
  public OptionalLong work(int type, BlockInput body) throws IOException {
    switch (type) {
      case StoreProtocol.REWIND -> {
        long ticket = body.takeLong();
        return OptionalLong.of(inlet.rewind(ticket, StoreProtocol.takeFrontier(body)));
      }
      case StoreProtocol.BEGIN -> {
        inlet.begin(body.takeLong());
        return OK;
      }
      case StoreProtocol.APPEND -> {
        append(body);
        return OptionalLong.empty();
      }
      case StoreProtocol.FLUSH -> {
        inlet.flush();
        return OK;
      }
      case StoreProtocol.COMMITTED -> {
        long checkpoint = body.takeLong();
        inlet.committed(checkpoint, StoreProtocol.takeFrontier(body));
        return OK;
      }
      case StoreProtocol.NEWEST -> {
        return OptionalLong.of(table.newestMicros());
      }
      default -> throw WriterSession.unknown(type);
    }
  }

  private void append(BlockInput body) throws ProtocolException {
    int length = body.remaining();
    if (BlockCodec.decode(body.bytes(), body.take(length), length) instanceof FlowBlock block) {
      inlet.append(block);
    } else {
      throw new ProtocolException("a block that is not one of flows");
    }
  }

  @Override
  public void close() {
    inlet.close();
  }
}
