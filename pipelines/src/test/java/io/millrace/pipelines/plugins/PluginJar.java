package io.millrace.pipelines.plugins;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.ToolProvider;

/** Builds jars of plugins as an author would, with compiler and jar. */
final class PluginJar {
  static final String SERVICE = "META-INF/services/io.millrace.pipelines.Pipeline";

  private PluginJar() {}

  /** A plugin without steps; {@code body} may contain more members. */
  static String source(String type, String name, String body) {
    return """
    package plugin;
    import io.millrace.pipelines.Run;
    import io.millrace.store.ResultSpec;
    import io.millrace.wire.block.FlowBlock;
    import io.millrace.wire.block.TableSchema;
    import java.util.List;
    import org.apache.flink.streaming.api.datastream.DataStream;
    public class %s implements io.millrace.pipelines.FlowPipeline {
      public record Config(long top) {}
      @Override public String name() { return "%s"; }
      @Override public Config config() { return new Config(7); }
      @Override public io.millrace.pipelines.Pipeline with(Record config) { return this; }
      @Override public List<ResultSpec> tables() {
        return List.of(ResultSpec.of(name(), TableSchema.builder().number("n").build()));
      }
      protected String table() { return name(); }
      @Override public String inCounter() { return "n.rowsIn"; }
      @Override public void addTo(DataStream<FlowBlock> flows, Run run) {}
      %s
    }
    """
        .formatted(type, name, body);
  }

  /** Compiles a class and returns the directory of classes. */
  static Path compile(Path work, String type, String source, String... options) throws IOException {
    Path file = work.resolve(type + ".java");
    Files.writeString(file, source);
    Path classes = Files.createDirectories(work.resolve("classes-" + type));
    List<String> arguments =
        new ArrayList<>(List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d"));
    arguments.add(classes.toString());
    arguments.addAll(List.of(options));
    arguments.add(file.toString());
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    if (status != 0) {
      throw new IllegalStateException("the test's own plugin does not compile: " + source);
    }
    return classes;
  }

  /** Packs classes with a service list; an empty name for a jar without one. */
  static Path pack(Path jar, Path classes, String service) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        ZipOutputStream out = new ZipOutputStream(file);
        Stream<Path> files = Files.walk(classes)) {
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new ZipEntry(classes.relativize(each).toString().replace('\\', '/')));
        out.write(Files.readAllBytes(each));
      }
      if (!service.isEmpty()) {
        out.putNextEntry(new ZipEntry(SERVICE));
        out.write(service.getBytes(StandardCharsets.UTF_8));
      }
    }
    return jar;
  }
}
