package io.millrace.pipelines.plugins;

import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.FlowBlock;

/**
 * The keys of a plugin, looked up where they are first needed: the job's class loader is the
 * context of each of its threads, and nothing of the plugin's has to be serialised.
 */
final class PluginKeys implements RowKeys<FlowBlock> {
  private static final long serialVersionUID = 1L;

  private final PluginCall call;
  private transient RowKeys<FlowBlock> found;

  PluginKeys(PluginCall call) {
    this.call = call;
  }

  @Override
  public void hashes(FlowBlock block, int[] hashes) {
    if (found == null) {
      found = call.openKeys(Thread.currentThread().getContextClassLoader());
    }
    found.hashes(block, hashes);
  }
}
