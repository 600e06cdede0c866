package io.millrace.pipelines;

import io.millrace.store.FlowInlet;
import io.millrace.store.FlowSchema;
import io.millrace.store.ResultInlet;
import io.millrace.store.ResultTableInlet;
import io.millrace.store.TableInlet;
import io.millrace.store.remote.RemoteInlet;
import io.millrace.store.remote.RemoteResultInlet;
import io.millrace.store.remote.StoreSecret;
import io.millrace.wire.block.TableSchema;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;

/** How a job, which travels as bytes to wherever it runs, finds its store from there. */
public sealed interface StoreLink extends Serializable {
  /**
   * A way into a table, for one subtask.
   *
   * @throws io.millrace.store.StoreException if the store is not found, or not reached in time
   * @throws io.millrace.store.WrongSchemaException if the table has other columns of these names
   */
  FlowInlet open(String table, FlowSchema schema, Duration longestWait);

  /**
   * A way into a table of results, for one subtask.
   *
   * @param key columns that make the key, as for {@link io.millrace.store.Store#results(String,
   *     TableSchema, List)}
   * @throws io.millrace.store.StoreException if the store is not found, or not reached in time
   * @throws io.millrace.store.WrongSchemaException if the table has other columns of these names
   */
  ResultInlet openResults(String table, TableSchema schema, List<String> key);

  /**
   * A store that is open in the JVM in which the job runs.
   *
   * @param name under which {@link LocalStores} has it
   */
  record Local(String name) implements StoreLink {
    private static final long serialVersionUID = 1L;

    @Override
    public FlowInlet open(String table, FlowSchema schema, Duration longestWait) {
      return new TableInlet(LocalStores.get(name).table(table, schema), longestWait);
    }

    @Override
    public ResultInlet openResults(String table, TableSchema schema, List<String> key) {
      return new ResultTableInlet(LocalStores.get(name).results(table, schema, key));
    }
  }

  /**
   * A store behind a {@link io.millrace.store.remote.StoreServer}.
   *
   * @param host as the machines of the cluster know it
   * @param secret that the store asks for
   * @param patience how long it is waited for
   */
  record Remote(String host, int port, StoreSecret secret, Duration patience) implements StoreLink {
    private static final long serialVersionUID = 1L;

    /** With patience enough for a store that was killed, to be started again and read its file. */
    public Remote(String host, int port, StoreSecret secret) {
      this(host, port, secret, Duration.ofSeconds(30));
    }

    /** The same, waited for as long as this. */
    public Remote withPatience(Duration other) {
      return new Remote(host, port, secret, other);
    }

    @Override
    public FlowInlet open(String table, FlowSchema schema, Duration longestWait) {
      return RemoteInlet.open(host, port, secret, table, schema, longestWait, patience);
    }

    @Override
    public ResultInlet openResults(String table, TableSchema schema, List<String> key) {
      return RemoteResultInlet.open(host, port, secret, table, schema, key, patience);
    }
  }
}
