package io.millrace.lab.recovery;

import io.millrace.store.FlowSchema;
import io.millrace.store.Store;
import io.millrace.store.StoreException;
import io.millrace.store.remote.RemoteFlowSink;
import io.millrace.store.remote.RemoteSink;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Stored flows: the time of the newest row by the store's protocol, which is cheap, and the number
 * of rows by HTTP.
 */
final class FlowsOutput implements Output {
  private static final Duration NO_PATIENCE = Duration.ZERO;

  private final RecoveryCluster cluster;
  private final StoreApi api;
  private RemoteFlowSink inlet;

  FlowsOutput(RecoveryCluster cluster) {
    this.cluster = cluster;
    this.api = cluster.api();
  }

  @Override
  public long newestMicros() {
    try {
      if (inlet == null) {
        inlet =
            RemoteSink.open(
                cluster.writers().getHostString(),
                cluster.writers().getPort(),
                cluster.writersSecret(),
                Store.FLOWS,
                new FlowSchema(List.of()),
                NO_PATIENCE);
      }
      return inlet.newestMicros();
    } catch (StoreException e) {
      close();
      return Long.MIN_VALUE;
    }
  }

  @Override
  public long rows() throws IOException {
    return api.rows();
  }

  @Override
  public void close() {
    if (inlet != null) {
      inlet.close();
      inlet = null;
    }
  }
}
