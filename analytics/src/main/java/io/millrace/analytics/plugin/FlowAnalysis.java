package io.millrace.analytics.plugin;

import io.millrace.analytics.Analyzer;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.Optional;

/**
 * A plugin: an analysis of flows, and the table of its results.
 *
 * <p>It is found by {@link java.util.ServiceLoader}, so an implementation is public, has a public
 * constructor without parameters, and is listed in {@code
 * META-INF/services/io.millrace.analytics.plugin.FlowAnalysis} of its jar. Each process that needs
 * its description creates one, and each parallel copy of its analyzer another; {@link #name},
 * {@link #result}, {@link #keys} and {@link #sums} are constant, cheap, and acquire no resources.
 */
public interface FlowAnalysis {
  /**
   * Name of the plugin, of its table in SQL and of its state in checkpoints: lower-case letters,
   * digits and underscores, a letter first, at most 40. Must differ from Millrace's tables. A
   * renamed plugin starts with an empty table and no state.
   */
  String name();

  /** Columns of its table. A later release may add columns, but must not change their types. */
  TableSchema result();

  /**
   * Partitioning of the flows over the parallel copies. Empty, as by default, for an analyzer
   * without state by key, which may receive any flows.
   */
  default Optional<FlowKeys> keys() {
    return Optional.empty();
  }

  /**
   * Number of columns at the end of {@link #result} that are sums to be combined over the parallel
   * copies before they are stored. 0, as by default, if rows are stored as emitted.
   *
   * <p>For an analyzer without keys: each of its copies sees a part of the flows, so its result for
   * a window is partial. Its rows begin with the end of the window, a time, exclusive; the columns
   * between that and the sums are the key ({@link io.millrace.analytics.reduce.CombinedRows}). Rows
   * of the same window and key are combined, pair by pair over {@code plugins.layers} layers, when
   * event time has passed the end of their window. A copy that holds rows until then emits them
   * when it becomes {@linkplain Analyzer#idle idle}.
   */
  default int sums() {
    return 0;
  }

  /**
   * Creates an unopened analyzer: reads its settings, and opens files only in {@link
   * Analyzer#open}.
   *
   * <p>Called for each parallel copy, and once more before the job starts, so that invalid settings
   * are reported there. With {@link #keys} it must be a {@link
   * io.millrace.analytics.keyed.KeyedAnalyzer}. The blocks that it emits have the schema {@link
   * #result}. It owns the flows that it receives, copies if others need them too, with the columns
   * of the declared data sets ({@link FlowBlock#joined}), but without {@linkplain FlowBlock#names
   * texts} and counters.
   *
   * @param settings configuration of {@code plugins.settings.<name>}; keys that are not read in
   *     this call are rejected as unknown
   * @throws SettingException for a missing or invalid setting
   */
  Analyzer<FlowBlock, TableBlock> create(Settings settings);
}
