package io.millrace.pipelines.plugins;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.plugin.FlowAnalysis;
import io.millrace.analytics.plugin.FlowKeys;
import io.millrace.analytics.plugin.Settings;
import io.millrace.analytics.reduce.CombinedRows;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A plugin that was found, and whose answers were read once and checked.
 *
 * @param analysis the plugin's own
 * @param jar where it was found, for messages
 * @param name of the plugin and its table
 * @param result columns of the table
 * @param keys by what flows are dealt out
 * @param sums how many columns at the end of the result are added up over parallel copies
 */
public record Plugin(
    FlowAnalysis analysis,
    String jar,
    String name,
    TableSchema result,
    Optional<FlowKeys> keys,
    int sums) {

  /**
   * Asks a plugin for its name and the rest.
   *
   * @throws PluginException if it does not answer, or gives null
   */
  static Plugin of(FlowAnalysis analysis, String jar) {
    String who = "plugin jar " + jar + ": class " + analysis.getClass().getName();
    try {
      TableSchema result = Objects.requireNonNull(analysis.result(), "result() is null");
      int sums = analysis.sums();
      if (sums != 0) {
        var unused = new CombinedRows(result, sums); // refuses columns that cannot be added up
      }
      return new Plugin(
          analysis,
          jar,
          Objects.requireNonNull(analysis.name(), "name() is null"),
          result,
          Objects.requireNonNull(analysis.keys(), "keys() is null"),
          sums);
    } catch (RuntimeException | LinkageError e) {
      throw new PluginException(
          who + " does not say what it is: " + PluginDirectory.reason(e) + "; ask its author");
    }
  }

  /**
   * A new analyzer, not opened.
   *
   * @param settings of this plugin, by key
   * @throws io.millrace.analytics.plugin.SettingException if they are not what the plugin needs
   * @throws PluginException if it says that it is keyed and is not
   */
  public Analyzer<FlowBlock, TableBlock> create(Map<String, String> settings) {
    return create(new Settings(name, settings));
  }

  /**
   * Settings that an analyzer was made with, as a job takes them along: relative paths, which start
   * where Millrace was started, are absolute.
   *
   * @throws io.millrace.analytics.plugin.SettingException as {@link #create}
   * @throws PluginException as {@link #create}
   */
  Map<String, String> check(Map<String, String> settings) {
    Settings asked = new Settings(name, settings);
    var unused = create(asked);
    return asked.travelling();
  }

  private Analyzer<FlowBlock, TableBlock> create(Settings asked) {
    Analyzer<FlowBlock, TableBlock> analyzer = analysis.create(asked);
    asked.refuseUnknown();
    if (analyzer == null || (keys.isPresent() && !(analyzer instanceof KeyedAnalyzer))) {
      throw new PluginException(
          "plugin jar "
              + jar
              + ": class "
              + analysis.getClass().getName()
              + (keys.isPresent()
                  ? " has keys(), so create() must give a KeyedAnalyzer, not "
                  : " must not create ")
              + (analyzer == null ? "null" : analyzer.getClass().getName())
              + "; ask its author");
    }
    return analyzer;
  }
}
