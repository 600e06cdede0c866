package io.millrace.pipelines;

import io.millrace.engine.UnmendableException;
import io.millrace.engine.sink.RewindableTarget;
import io.millrace.store.Inlet;
import io.millrace.store.WrongSchemaException;
import io.millrace.wire.block.Block;
import java.util.function.Supplier;

/**
 * A table of the store as the stream job's sink. One for each subtask; used by its thread alone.
 */
public final class StoreTarget<B extends Block, P> implements RewindableTarget<B, P> {
  private final Supplier<Inlet<B, P>> opener;
  private Inlet<B, P> inlet;

  /**
   * @param opener finds the way into the table, as a {@link StoreLink} does
   */
  public StoreTarget(Supplier<Inlet<B, P>> opener) {
    this.opener = opener;
  }

  @Override
  public void open() {
    try {
      inlet = opener.get();
    } catch (WrongSchemaException e) {
      throw new UnmendableException(e.getMessage());
    }
  }

  @Override
  public void rewind(long token, P covered) {
    inlet.rewind(token, covered);
  }

  @Override
  public void begin(long token) {
    inlet.begin(token);
  }

  @Override
  public void append(B block) {
    try {
      inlet.append(block);
    } catch (WrongSchemaException e) {
      throw new UnmendableException(e.getMessage());
    }
  }

  @Override
  public void flush() {
    inlet.flush();
  }

  @Override
  public void sync() {
    inlet.sync();
  }

  @Override
  public void passed(long checkpointId) {
    inlet.passed(checkpointId);
  }

  @Override
  public void committed(long checkpointId, P covered) {
    inlet.committed(checkpointId, covered);
  }

  @Override
  public void close() {
    if (inlet != null) {
      inlet.close();
      inlet = null;
    }
  }
}
