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

/** Makes jars of plugins, as an author does: compiler and jar. */
final class PluginJar {
  static final String SERVICE = "META-INF/services/io.millrace.analytics.plugin.FlowAnalysis";

  private PluginJar() {}

  /** A plugin that counts nothing; {@code body} may hold more members. */
  static String source(String type, String name, String body) {
    return """
        package plugin;
        public class %s implements io.millrace.analytics.plugin.FlowAnalysis {
          @Override public String name() { return "%s"; }
          @Override public io.millrace.wire.block.TableSchema result() {
            return io.millrace.wire.block.TableSchema.builder().number("n").build();
          }
          @Override public io.millrace.analytics.Analyzer<
              io.millrace.wire.block.FlowBlock, io.millrace.wire.block.TableBlock> create(
              io.millrace.analytics.plugin.Settings settings) {
            return (block, out) -> {};
          }
          %s
        }
        """
        .formatted(type, name, body);
  }

  /** Compiles a class and gives the directory of classes. */
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

  /** Packs classes that name a service; an empty name for a jar of none. */
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
