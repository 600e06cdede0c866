package io.millrace.pipelines;

import io.millrace.store.FlowSchema;
import io.millrace.store.remote.RemoteFlowSink;
import io.millrace.store.remote.RemoteSink;
import io.millrace.store.remote.StoreSecret;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;

/** Location of a job's store; serialised with the job. */
public sealed interface StoreLink extends Serializable {
  /**
   * Opens the sink of a table, for one subtask.
   *
   * @throws io.millrace.store.StoreException if the store is not found or does not respond in time
   * @throws io.millrace.store.WrongSchemaException if the table has columns of these names with
   *     other types
   */
  BlockSink<FlowBlock, Frontier> open(String table, FlowSchema schema);

  /**
   * Creates a table, or adds missing columns, and returns the frontier of its last completed
   * checkpoint.
   *
   * @throws io.millrace.store.StoreException if the store is not found or does not respond in time
   * @throws io.millrace.store.WrongSchemaException if the table has columns of these names with
   *     other types
   */
  Frontier committed(String table, FlowSchema schema);

  /**
   * End offsets of the log in a table of flows, including rows that no checkpoint covers yet; see
   * {@link io.millrace.store.FlowTable#stored}.
   *
   * @throws io.millrace.store.StoreException if the store is not found or does not respond in time
   */
  Frontier stored(String table, FlowSchema schema);

  /**
   * Begins another epoch of the log in a table of flows; see {@link
   * io.millrace.store.FlowTable#beginEpoch}.
   *
   * @throws io.millrace.store.StoreException if the store is not found or does not respond in time
   */
  void beginEpoch(String table, FlowSchema schema, Frontier read, Frontier until, Frontier begin);

  /**
   * Opens the sink of a table of results, for one subtask.
   *
   * @param key columns by which a row replaces an earlier one, as for {@link
   *     io.millrace.store.Store#results(String, TableSchema, List)}
   * @throws io.millrace.store.StoreException if the store is not found or does not respond in time
   * @throws io.millrace.store.WrongSchemaException if the table has columns of these names with
   *     other types
   */
  BlockSink<TableBlock, Long> openResults(String table, TableSchema schema, List<String> key);

  /**
   * A store that is open in the JVM of the job.
   *
   * @param name in {@link LocalStores}
   */
  record Local(String name) implements StoreLink {
    private static final long serialVersionUID = 1L;

    @Override
    public Frontier committed(String table, FlowSchema schema) {
      return LocalStores.get(name).table(table, schema).committed();
    }

    @Override
    public Frontier stored(String table, FlowSchema schema) {
      return LocalStores.get(name).table(table, schema).stored();
    }

    @Override
    public void beginEpoch(
        String table, FlowSchema schema, Frontier read, Frontier until, Frontier begin) {
      LocalStores.get(name).table(table, schema).beginEpoch(read, until, begin);
    }

    @Override
    public BlockSink<FlowBlock, Frontier> open(String table, FlowSchema schema) {
      return LocalStores.get(name).table(table, schema).sink();
    }

    @Override
    public BlockSink<TableBlock, Long> openResults(
        String table, TableSchema schema, List<String> key) {
      return LocalStores.get(name).results(table, schema, key).sink();
    }
  }

  /**
   * A store that is served by a {@link io.millrace.store.remote.StoreServer}.
   *
   * @param host name or address for the machines of the cluster
   * @param secret of the store
   * @param timeout maximum wait for it
   */
  @RecordBuilder
  record Remote(String host, int port, StoreSecret secret, Duration timeout)
      implements StoreLink, StoreLinkRemoteBuilder.With {
    private static final long serialVersionUID = 1L;

    /** With the default timeout, in which a killed store can restart and read its file. */
    public Remote(String host, int port, StoreSecret secret) {
      this(host, port, secret, Duration.ofSeconds(30));
    }

    @Override
    public Frontier committed(String table, FlowSchema schema) {
      try (RemoteFlowSink sink = RemoteSink.open(host, port, secret, table, schema, timeout)) {
        return sink.committed();
      }
    }

    @Override
    public Frontier stored(String table, FlowSchema schema) {
      try (RemoteFlowSink sink = RemoteSink.open(host, port, secret, table, schema, timeout)) {
        return sink.stored();
      }
    }

    @Override
    public void beginEpoch(
        String table, FlowSchema schema, Frontier read, Frontier until, Frontier begin) {
      try (RemoteFlowSink sink = RemoteSink.open(host, port, secret, table, schema, timeout)) {
        sink.beginEpoch(read, until, begin);
      }
    }

    @Override
    public BlockSink<FlowBlock, Frontier> open(String table, FlowSchema schema) {
      return RemoteSink.open(host, port, secret, table, schema, timeout);
    }

    @Override
    public BlockSink<TableBlock, Long> openResults(
        String table, TableSchema schema, List<String> key) {
      return RemoteSink.open(host, port, secret, table, schema, key, timeout);
    }
  }
}
