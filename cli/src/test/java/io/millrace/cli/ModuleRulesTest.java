package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Who may know whom. Which module depends on which is Maven's to keep; here is what it cannot: that
 * a library has one home, although modules below inherit it on their class path.
 */
class ModuleRulesTest {
  private static final List<String> MODULES =
      List.of(
          "pulse",
          "wire",
          "datasets",
          "traffic",
          "analytics",
          "engine",
          "store",
          "pipelines",
          "server",
          "bench",
          "cli");

  /** What class files must not name, and the modules whose classes may. */
  private static final Map<String, Set<String>> HOMES =
      Map.of(
          "org/apache/flink/", Set.of("engine", "pipelines"),
          "org/apache/kafka/", Set.of("engine"),
          "org/apache/avro/", Set.of("wire"),
          "org/duckdb/", Set.of("store"),
          "java/sql/", Set.of("store"),
          "org/eclipse/jetty/", Set.of("server"),
          "org/apache/arrow/", Set.of("pipelines", "server"),
          "io/grpc/", Set.of("server"),
          "picocli/", Set.of("cli"),
          "org/snakeyaml/", Set.of("cli"));

  private static final List<String> SAYS_NOTHING =
      List.of("Util", "Utils", "Helper", "Helpers", "Common", "Misc", "Impl", "Manager");

  @Test
  void aLibraryHasOneHome() throws IOException {
    for (String module : MODULES) {
      for (Path file : classes(module)) {
        String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
        HOMES.forEach(
            (library, homes) -> {
              if (!homes.contains(module)) {
                assertThat(bytes.contains(library))
                    .as("%s names %s, whose home is %s", file, library, homes)
                    .isFalse();
              }
            });
      }
    }
  }

  @Test
  void wireDoesNoInputAndOutputAndHasNoClockOrLogger() throws IOException {
    for (Path file : classes("wire")) {
      String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
      for (String world :
          List.of("java/nio/file/", "java/io/File", "java/net/Socket", "nanoTime", "org/slf4j/")) {
        assertThat(bytes.contains(world)).as("%s names %s", file, world).isFalse();
      }
    }
  }

  @Test
  void noClassIsNamedAfterNothing() throws IOException {
    for (String module : MODULES) {
      for (Path file : classes(module)) {
        String name = file.getFileName().toString().replaceAll("(\\$.*)?\\.class$", "");
        assertThat(SAYS_NOTHING).as("%s says nothing", name).noneMatch(name::endsWith);
      }
    }
  }

  private static List<Path> classes(String module) throws IOException {
    Path root = Path.of("..", module, "target", "classes");
    try (Stream<Path> files = Files.walk(root)) {
      List<Path> classes = files.filter(file -> file.toString().endsWith(".class")).toList();
      assertThat(classes).as("classes of %s", root).isNotEmpty();
      return classes;
    }
  }
}
