package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.ToolProvider;

/**
 * The plugin of {@code examples/packets-by-country}, built from its sources as Maven would: by the
 * JDK's compiler, against the modules that are being tested and nothing else of the example's.
 */
final class ExamplePlugin {
  private ExamplePlugin() {}

  /** The example's directory. */
  static Path directory() {
    return Path.of("..", "examples", "packets-by-country");
  }

  /** Compiles the plugin and its test, and gives the directory of classes. */
  static Path compile(Path into) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-proc:none",
                "--release",
                "17",
                "-Xlint:all,-path,-classfile",
                "-Werror",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                Files.createDirectories(into).toString()));
    try (Stream<Path> files = Files.walk(directory().resolve("src"))) {
      files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
    }
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    assertThat(status).as("the example compiles").isZero();
    return into;
  }

  /** Packs the compiled plugin and its resources. */
  static void pack(Path classes, Path jar) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        ZipOutputStream out = new ZipOutputStream(file)) {
      add(out, classes);
      add(out, directory().resolve("src/main/resources"));
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
}
