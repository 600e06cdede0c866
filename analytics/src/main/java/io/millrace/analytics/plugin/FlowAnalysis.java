package io.millrace.analytics.plugin;

import io.millrace.analytics.Analyzer;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.Optional;

/**
 * A plugin: what it makes of the flows, and the table in which that is found.
 *
 * <p>Found by {@link java.util.ServiceLoader}, so an implementation is public, has a public
 * constructor without parameters, and stands in {@code
 * META-INF/services/io.millrace.analytics.plugin.FlowAnalysis} of its jar. One is made in each
 * process that needs to know about it, and one for each parallel copy of its analyzer; {@link
 * #name}, {@link #result}, {@link #keys} and {@link #sums} always give the same, cost nothing, and
 * open nothing.
 */
public interface FlowAnalysis {
  /**
   * Name of the plugin, of its table in SQL and of its state in checkpoints: lower-case letters,
   * digits and underscores, a letter first, at most 40. Not one of Millrace's own tables. Under
   * another name it is another plugin, with an empty table and no state.
   */
  String name();

  /**
   * The columns of its table. A later release may add columns, and must not change the type of one.
   */
  TableSchema result();

  /**
   * By what the flows are dealt out over the parallel copies. Empty, as by default, for an analyzer
   * that is given any flows and keeps no state by key.
   */
  default Optional<FlowKeys> keys() {
    return Optional.empty();
  }

  /**
   * How many columns at the end of {@link #result} are sums that are added up over the parallel
   * copies before they go into the table. 0, as by default, if rows go there as they are emitted.
   *
   * <p>For an analyzer without keys: each of its copies sees a part of the flows, so what it knows
   * of a window is a partial result. Its rows begin with the end of the window, a time, exclusive;
   * the columns between that and the sums are the key ({@link
   * io.millrace.analytics.reduce.CombinedRows}). Rows of the same window and key become one, pair
   * by pair over {@code plugins.layers} layers, when event time has passed the end of their window.
   * A copy that keeps rows until then gives them out when it falls {@linkplain Analyzer#idle idle}.
   */
  default int sums() {
    return 0;
  }

  /**
   * A new analyzer, not opened: reads its settings, and opens files only in {@link Analyzer#open}.
   *
   * <p>Called for each parallel copy, and once more before the job is started, so that wrong
   * settings are told there. With {@link #keys} it must be a {@link
   * io.millrace.analytics.keyed.KeyedAnalyzer}. The blocks that it emits have the schema {@link
   * #result}. The flows that it is given are its own, copies where others need them too, with the
   * columns of the data sets that are declared ({@link FlowBlock#joined}); they carry no
   * {@linkplain FlowBlock#names texts} and no counters.
   *
   * @param settings what the configuration says under {@code plugins.settings.<name>}; whatever is
   *     not asked for in this call is an unknown key, and refused
   * @throws SettingException if one of them is missing or wrong
   */
  Analyzer<FlowBlock, TableBlock> create(Settings settings);
}
