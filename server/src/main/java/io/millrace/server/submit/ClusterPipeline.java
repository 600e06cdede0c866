package io.millrace.server.submit;

import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.log.LogTopics;
import io.millrace.pipelines.flows.StoreLink;
import io.millrace.pipelines.plugins.PluginCall;
import io.millrace.server.runtime.MillraceConfig;
import java.time.Duration;
import java.util.List;

/** A pipeline that can be sent to a cluster. */
interface ClusterPipeline {
  /** A store that is just starting has read its file by then. */
  Duration STORE_PATIENCE = Duration.ofSeconds(5);

  /** What users call it, and its job where they do not name that. */
  String name();

  /** Makes the topics that it reads and writes where they are missing. */
  void prepare(LogTopics topics);

  /**
   * Finds out whether the store answers, and leaves its tables as they are: a job may run on them.
   *
   * @throws io.millrace.store.StoreException if it does not
   */
  void check(MillraceConfig config, StoreLink.Remote store);

  /**
   * The job; its tables get the columns that they have not yet.
   *
   * @param config with the address of the log
   * @param plugins what else gets the flows
   * @throws io.millrace.store.StoreException if the store does not answer
   * @throws io.millrace.store.WrongSchemaException if its tables have other columns of our names
   */
  EmbeddedFlink.JobBuilder job(
      MillraceConfig config, List<PluginCall> plugins, StoreLink.Remote store, int parallelism);
}
