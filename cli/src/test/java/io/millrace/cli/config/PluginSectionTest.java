package io.millrace.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pipelines.FlowPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.Run;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pipeline in a jar has a section like a built-in one. */
class PluginSectionTest {
  @TempDir private Path dir;

  /** A pipeline that a jar lists; its class is in this test. */
  public abstract static class Plugin implements FlowPipeline {
    private final String name;
    private final Config config;

    /** Settings of the pipeline. */
    public record Config(int top) {}

    Plugin(String name, Config config) {
      this.name = name;
      this.config = config;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Config config() {
      return config;
    }

    @Override
    public Pipeline with(Record other) {
      return new Own((Config) other);
    }

    @Override
    public List<ResultSpec> tables() {
      return List.of();
    }

    @Override
    public String inCounter() {
      return name + ".rowsIn";
    }

    @Override
    public void addTo(DataStream<FlowBlock> flows, Run run) {}
  }

  /** A valid pipeline. */
  public static final class Own extends Plugin {
    public Own() {
      this(new Config(3));
    }

    Own(Config config) {
      super("own", config);
    }
  }

  /** A pipeline with the name of a built-in one. */
  public static final class SecondHitters extends Plugin {
    public SecondHitters() {
      super("hitters", new Config(3));
    }
  }

  /** A pipeline with the name of a section. */
  public static final class Http extends Plugin {
    public Http() {
      super("http", new Config(3));
    }
  }

  /** A pipeline that writes a table of another one. */
  public static final class SecondSignals extends Plugin {
    public SecondSignals() {
      super("own", new Config(3));
    }

    @Override
    public List<ResultSpec> tables() {
      return List.of(ResultSpec.of("signals", TableSchema.builder().number("n").build()));
    }
  }

  private Path jars(Class<? extends Plugin> plugin) throws IOException {
    Path jars = Files.createDirectories(dir.resolve("jars"));
    try (OutputStream file = Files.newOutputStream(jars.resolve("own.jar"));
        ZipOutputStream out = new ZipOutputStream(file)) {
      out.putNextEntry(new ZipEntry("META-INF/services/" + Pipeline.class.getName()));
      out.write(plugin.getName().getBytes(StandardCharsets.UTF_8));
    }
    return jars;
  }

  private Path yaml(String text) throws IOException {
    return Files.writeString(dir.resolve("c.yaml"), text);
  }

  private static Record settings(MillraceConfig config) {
    return config.pipelines().get(config.pipelines().size() - 1).config();
  }

  @Test
  void theFileHasSettingsOfThePluginsWhoseDirectoryItNames() throws IOException {
    Path file = yaml("own: {top: 5}\nplugins: {directory: %s}".formatted(jars(Own.class)));
    MillraceConfig config = ConfigFile.read(file);
    assertThat(settings(config)).isEqualTo(new Plugin.Config(5));
    assertThat(ConfigWriter.yaml(config)).contains("\nown:\n  top: 5\n");
    assertThatThrownBy(() -> ConfigFile.read(yaml("own: {top: 5}")))
        .hasMessageContaining("own: unknown key");
  }

  @Test
  void anotherPluginDirectoryReplacesThatOfTheFile() throws IOException {
    Path jars = jars(Own.class);
    MillraceConfig config =
        ConfigFile.read(yaml("own: {top: 5}\nplugins: {directory: none}"), jars);
    assertThat(settings(config)).isEqualTo(new Plugin.Config(5));
    assertThat(config.plugins().directory()).isEqualTo(jars);
    assertThat(settings(ConfigFile.read(null, jars))).isEqualTo(new Plugin.Config(3));
  }

  private void rejected(Class<? extends Plugin> plugin, String message) throws IOException {
    Path jars = jars(plugin);
    assertThatThrownBy(() -> ConfigFile.read(null, jars))
        .isInstanceOf(ConfigException.class)
        .hasMessage(message);
  }

  @Test
  void namesThatAreTakenAreRejected() throws IOException {
    String who = "pipeline %s (" + PluginSectionTest.class.getName() + "$%s): ";
    rejected(
        SecondHitters.class,
        who.formatted("hitters", "SecondHitters")
            + "the name hitters is taken by pipeline hitters"
            + " (io.millrace.pipelines.hitters.HittersPipeline); rename it or remove its jar");
    rejected(
        Http.class,
        who.formatted("http", "Http")
            + "the name http is taken by the section http; rename it or remove its jar");
    rejected(
        SecondSignals.class,
        who.formatted("own", "SecondSignals")
            + "the name signals is taken by pipeline quota"
            + " (io.millrace.pipelines.quota.QuotaPipeline); rename it or remove its jar");
  }
}
