package io.millrace.pipelines.plugins;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.plugin.FlowAnalysis;
import io.millrace.analytics.plugin.SettingException;
import io.millrace.analytics.plugin.Settings;
import io.millrace.analytics.reduce.CombinedRows;
import io.millrace.engine.UnmendableException;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.io.Serializable;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;

/**
 * A plugin as it travels with a job: its name, by which it is found again among the jars that
 * travel too, and what the job must know before.
 *
 * @param name of the plugin, its table and its state
 * @param result columns of the table
 * @param keyed whether flows are dealt out by keys
 * @param sums columns at the end of the result that are added up over parallel copies; 0 for none
 * @param layers in which that is done, at most
 * @param settings by key
 */
public record PluginCall(
    String name,
    TableSchema result,
    boolean keyed,
    int sums,
    int layers,
    Map<String, String> settings)
    implements Serializable {

  /** Copies the settings. */
  public PluginCall {
    settings = new TreeMap<>(settings);
  }

  /**
   * A call of a plugin, checked as far as it can be before the job is started.
   *
   * @param config of all plugins
   * @throws io.millrace.analytics.plugin.SettingException if the settings are not what it needs
   * @throws PluginException if the plugin is not what it says
   */
  public static PluginCall of(Plugin plugin, PluginsConfig config) {
    return new PluginCall(
        plugin.name(),
        plugin.result(),
        plugin.keys().isPresent(),
        plugin.sums(),
        config.layers(),
        plugin.check(config.settingsOf(plugin.name())));
  }

  /**
   * The plugin, where the job runs.
   *
   * @param classLoader that has the job's jars
   */
  Plugin find(ClassLoader classLoader) {
    try {
      for (FlowAnalysis analysis : ServiceLoader.load(FlowAnalysis.class, classLoader)) {
        if (analysis.name().equals(name)) {
          return Plugin.of(analysis, "of the job");
        }
      }
    } catch (ServiceConfigurationError | LinkageError e) {
      throw new UnmendableException(
          "the jars that came with the job cannot be used: " + PluginDirectory.reason(e));
    }
    throw new UnmendableException(
        "plugin " + name + " is not among the jars that came with the job; submit it with them");
  }

  /** How the rows of parallel copies are added up; empty if they are not. */
  public Optional<CombinedRows> combined() {
    return sums == 0 ? Optional.empty() : Optional.of(new CombinedRows(result, sums));
  }

  /** By what flows are dealt out; looked up where the job runs. */
  public RowKeys<FlowBlock> keys() {
    return new PluginKeys(this);
  }

  /**
   * A new analyzer, where the job runs.
   *
   * @param classLoader that has the job's jars
   */
  public Analyzer<FlowBlock, TableBlock> create(ClassLoader classLoader) {
    try {
      return find(classLoader).create(settings);
    } catch (SettingException | PluginException e) {
      throw new UnmendableException(e.getMessage());
    }
  }

  /** The same for a plugin with keys. */
  public KeyedAnalyzer<FlowBlock, TableBlock> createKeyed(ClassLoader classLoader) {
    if (create(classLoader) instanceof KeyedAnalyzer<FlowBlock, TableBlock> keyedAnalyzer) {
      return keyedAnalyzer;
    }
    throw new UnmendableException("plugin " + name + " has keys no more; submit it anew");
  }

  /** What deals the flows out, where the job runs. */
  RowKeys<FlowBlock> openKeys(ClassLoader classLoader) {
    Plugin plugin = find(classLoader);
    try {
      return plugin.keys().orElseThrow().opener().open(new Settings(name, settings));
    } catch (SettingException e) {
      throw new UnmendableException(e.getMessage());
    } catch (Exception e) {
      throw new IllegalStateException("plugin " + name + " has no keys: " + e.getMessage(), e);
    }
  }
}
