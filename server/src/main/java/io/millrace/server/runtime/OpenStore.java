package io.millrace.server.runtime;

import io.millrace.pipelines.LocalStores;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.StoreLink;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.Store;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.DurableStore;
import io.millrace.store.remote.StoreSecret;
import io.millrace.store.remote.StoreServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The store of a process, with the tables of its pipelines: known to the jobs in it by a name, and
 * to writers in other processes by an address. Thread-safe.
 */
final class OpenStore {
  private final Store store;
  private final StoreLink link;
  private final Optional<StoreServer> listener;
  private final LastKnown<StoreFigures> figures;

  /**
   * Opens the store, or makes it.
   *
   * @param directory of its files
   * @param closers by which it is closed again
   * @throws io.millrace.store.WrongSchemaException if a table has a column of another type: told
   *     here, once, and not by a job that restarts
   * @throws IOException if the address of the listener cannot be bound
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
    figures = new LastKnown<>(store::isOpen, () -> StoreFigures.of(this));
    if (config.store().listen() == null) {
      listener = Optional.empty();
    } else {
      StoreSecret secret = StoreSecret.readOrMake(config.data().resolve(StoreSecret.FILE_NAME));
      StoreServer server = closers.add(new StoreServer(store, config.store().listen(), secret));
      server.start();
      listener = Optional.of(server);
    }
  }

  /** The store itself. */
  Store store() {
    return store;
  }

  /** How a job in this process finds it. */
  StoreLink link() {
    return link;
  }

  /** What status and metrics say of it; the last ones while it is being opened again. */
  StoreFigures figures() {
    return figures.get();
  }

  /** Where writers in other processes reach it; empty if they do not. */
  Optional<StoreServer> listener() {
    return listener;
  }

  /** The table of flows, with the columns that it has now: a job may add some. */
  FlowTable flows() {
    return store.table(Store.FLOWS, new FlowSchema(List.of()));
  }
}
