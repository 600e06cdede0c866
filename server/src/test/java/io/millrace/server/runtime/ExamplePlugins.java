package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.Pipeline;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.ToolProvider;

/**
 * Builds the plugins below {@code examples} from their sources, with the JDK's compiler, against
 * the modules under test only.
 */
final class ExamplePlugins {
  static final String PACKETS_BY_COUNTRY = "packets-by-country";

  private ExamplePlugins() {}

  private static Path directory(String example) {
    return Path.of("..", "examples", example);
  }

  /** Compiles a plugin and its test; returns the directory of classes. */
  static Path compile(String example, Path into) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-proc:none",
                "--release",
                "17",
                "-Xlint:all,-path,-classfile,-try",
                "-Werror",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                Files.createDirectories(into).toString()));
    try (Stream<Path> files = Files.walk(directory(example).resolve("src"))) {
      files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
    }
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    assertThat(status).as(example + " compiles").isZero();
    return into;
  }

  /** Packs a compiled plugin and its resources into the directory of jars. */
  static void pack(String example, Path classes, Path jars) throws IOException {
    try (OutputStream file = Files.newOutputStream(jars.resolve(example + ".jar"));
        ZipOutputStream out = new ZipOutputStream(file)) {
      add(out, classes);
      add(out, directory(example).resolve("src/main/resources"));
    }
  }

  private static void add(ZipOutputStream out, Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new ZipEntry(root.relativize(each).toString().replace('\\', '/')));
        out.write(Files.readAllBytes(each));
      }
    }
  }

  /** Returns a copy of the configuration with values in a pipeline's section, as from a file. */
  static MillraceConfig configure(MillraceConfig config, String pipeline, Map<String, ?> values)
      throws ReflectiveOperationException {
    Pipeline plugin =
        config.pipelines().stream()
            .filter(each -> each.name().equals(pipeline))
            .findFirst()
            .orElseThrow();
    RecordComponent[] components = plugin.config().getClass().getRecordComponents();
    Class<?>[] types = Stream.of(components).map(RecordComponent::getType).toArray(Class[]::new);
    Object[] all = new Object[components.length];
    for (int i = 0; i < all.length; i++) {
      Object value = values.get(components[i].getName());
      all[i] = value == null ? components[i].getAccessor().invoke(plugin.config()) : value;
    }
    Record section =
        (Record) plugin.config().getClass().getDeclaredConstructor(types).newInstance(all);
    return config.with(plugin.with(section));
  }
}
