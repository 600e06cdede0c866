package io.millrace.analytics.gateway;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.TableBlock;
import java.util.function.Consumer;

/** Receives totals and alerts, and drops other outputs. */
record ByOutput(Consumer<TableBlock> totals, Consumer<TableBlock> alerts)
    implements Emitter<TableBlock> {
  @Override
  public void emit(TableBlock block) {
    totals.accept(block);
  }

  @Override
  public <B extends Block> void emit(Output<B> output, B block) {
    if (output.equals(GatewayDays.ALERT_ROWS)) {
      alerts.accept((TableBlock) block);
    }
  }
}
