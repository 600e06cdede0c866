package io.millrace.store.remote;

import io.millrace.store.ResultInlet;
import io.millrace.store.ResultTable;
import io.millrace.store.ResultTableInlet;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.io.IOException;
import java.util.OptionalLong;

/** A connection's table of results. */
final class ResultSession implements WriterSession {
  private static final OptionalLong OK = OptionalLong.of(0);

  private final ResultInlet inlet;

  ResultSession(ResultTable table) {
    this.inlet = new ResultTableInlet(table);
  }

  @Override
  public OptionalLong work(int type, BlockInput body) throws IOException {
    switch (type) {
      case StoreProtocol.REWIND -> {
        long ticket = body.takeLong();
        return OptionalLong.of(inlet.rewind(ticket, body.takeLong()));
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
      default -> throw WriterSession.unknown(type);
    }
  }

  private void append(BlockInput body) throws ProtocolException {
    long checkpoint = body.takeLong();
    int length = body.remaining();
    if (BlockCodec.decode(body.bytes(), body.take(length), length) instanceof TableBlock block) {
      inlet.append(block, checkpoint);
    } else {
      throw new ProtocolException("a block that is not one of results");
    }
  }

  @Override
  public void close() {
    inlet.close();
  }
}
