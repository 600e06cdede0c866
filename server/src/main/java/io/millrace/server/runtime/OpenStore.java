package io.millrace.server.runtime;

import io.millrace.pipelines.LocalStores;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.StoreLink;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.Store;
import io.millrace.store.StoreEngine;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.DurableStore;
import io.millrace.store.remote.StoreSecret;
import io.millrace.store.remote.StoreServer;
import io.millrace.store.trino.TrinoStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Store of an instance with the tables of its pipelines, for jobs in the process and remote
 * writers. Thread-safe.
 */
final class OpenStore {
  private final Store store;
  private final StoreLink link;
  private final Optional<StoreServer> listener;
  private final LastKnown<StoreFigures> figures;
  private final Store queries;

  /**
   * Opens the store. A column of another type is reported at the start instead of by a restarting
   * job.
   */
  OpenStore(MillraceConfig config, Path directory, List<Pipeline> pipelines, Closers closers)
      throws IOException {
    store =
        closers.add(
            new DurableStore(
                () ->
                    new DuckDbStore(directory, config.store(), config.rollups())
                        .with(config.ledgers())));
    String name = directory.toString();
    link = new StoreLink.Local(name);
    LocalStores.add(name, store);
    closers.add(() -> LocalStores.remove(name));
    store.table(Store.FLOWS, FlowsPipeline.schema(config.datasets()));
    for (Pipeline pipeline : pipelines) {
      pipeline.tables().forEach(store::results);
      pipeline.views().forEach(store::resultView);
    }
    queries =
        config.store().engine() == StoreEngine.TRINO
            ? closers.add(new TrinoStore(store, config.store()))
            : store;
    figures = new LastKnown<>(store::isOpen, () -> StoreFigures.of(this));
    if (config.store().listen() == null) {
      listener = Optional.empty();
    } else {
      StoreSecret secret = StoreSecret.readOrMake(config.data().resolve(StoreSecret.FILE_NAME));
      StoreServer server =
          closers.add(
              new StoreServer(
                  store, config.store().listen(), secret, config.store().clusterTail()));
      server.start();
      listener = Optional.of(server);
    }
  }

  Store store() {
    return store;
  }

  /** Store with the engine for queries of users. */
  Store queries() {
    return queries;
  }

  StoreLink link() {
    return link;
  }

  StoreFigures figures() {
    return figures.get();
  }

  Optional<StoreServer> listener() {
    return listener;
  }

  FlowTable flows() {
    return store.table(Store.FLOWS, new FlowSchema(List.of()));
  }
}
