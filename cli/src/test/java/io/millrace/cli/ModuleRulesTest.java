package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Dependency rules that Maven cannot check: transitive libraries are used in one module only. */
class ModuleRulesTest {
  private static final List<String> MODULES =
      List.of(
          "pulse",
          "wire",
          "datasets",
          "traffic",
          "analytics",
          "engine",
          "cluster",
          "store",
          "pipelines",
          "server",
          "cli");

  /** Prefixes that class files must not name, and the modules that may. */
  private static final Map<String, Set<String>> HOMES =
      Map.ofEntries(
          Map.entry("org/apache/flink/", Set.of("engine", "pipelines")),
          Map.entry("org/apache/kafka/", Set.of("engine")),
          Map.entry("org/apache/avro/", Set.of("wire")),
          Map.entry("org/duckdb/", Set.of("store")),
          Map.entry("io/trino/", Set.of("store")),
          Map.entry("java/sql/", Set.of("store")),
          Map.entry("redis/clients/", Set.of("pipelines")),
          Map.entry("org/jctools/", Set.of("pipelines")),
          Map.entry("org/eclipse/jetty/", Set.of("server")),
          Map.entry("org/apache/arrow/", Set.of("pipelines", "server")),
          Map.entry("io/grpc/", Set.of("server")),
          Map.entry("com/maxmind/", Set.of("datasets")),
          Map.entry("picocli/", Set.of("cli")),
          Map.entry("com/github/luben/", Set.of("wire")),
          Map.entry("org/apache/commons/compress/", Set.of("wire")),
          Map.entry("org/snakeyaml/", Set.of("cli", "datasets", "pipelines")));

  /** Name of a class of the project, also in strings; the group is its package below the root. */
  private static final Pattern CLASS =
      Pattern.compile("io([/.])millrace\\1(\\w+(?:\\1\\w+)*)\\1[A-Z]");

  private static final int MAX_FILES = 40;

  private static final String STORE = "store/duckdb/";

  /** Layers of the store: each may use only the preceding ones. */
  private static final List<String> STORE_LAYERS =
      List.of(
          "sql",
          "schema",
          "disk",
          "history",
          "offsets",
          "ledger",
          "rejected",
          "parquet",
          "snapshot",
          "results",
          "sums",
          "sample",
          "rollup",
          "plan",
          "sandbox",
          "rewrite",
          "query",
          "top");

  private static final List<String> SAYS_NOTHING =
      List.of("Util", "Utils", "Helper", "Helpers", "Common", "Misc", "Impl", "Manager");

  @Test
  void eachLibraryIsImportedByOneModule() throws IOException {
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
  void noClassHasAGenericName() throws IOException {
    for (String module : MODULES) {
      for (Path file : classes(module)) {
        String name = file.getFileName().toString().replaceAll("(\\$.*)?\\.class$", "");
        assertThat(SAYS_NOTHING).as("%s says nothing", name).noneMatch(name::endsWith);
      }
    }
  }

  @Test
  void packagesOfTheStoreDependOnlyOnLowerOnes() throws IOException {
    Set<String> layers = new TreeSet<>();
    uses()
        .forEach(
            (layer, its) -> {
              if (layer.startsWith(STORE)) {
                layers.add(layer.substring(STORE.length()));
                Set<String> allowed = before(layer);
                its.removeIf(other -> !other.startsWith(STORE) || allowed.contains(other));
                assertThat(its).as("known to %s", layer).isEmpty();
              }
            });
    assertThat(layers).containsExactlyInAnyOrderElementsOf(STORE_LAYERS);
  }

  /** A store other than DuckDB can use these packages. */
  @Test
  void queriesDoNotDependOnADatabase() throws IOException {
    assertThat(uses().get("store/query")).noneMatch(other -> other.startsWith(STORE));
    for (Path file : classes("store")) {
      if (packageOf("store", file).equals("store/query")) {
        String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
        assertThat(bytes.contains("org/duckdb/")).as("%s", file).isFalse();
      }
    }
  }

  private static Set<String> before(String layer) {
    int place = STORE_LAYERS.indexOf(layer.substring(STORE.length()));
    return STORE_LAYERS.subList(0, place + 1).stream()
        .map(STORE::concat)
        .collect(Collectors.toSet());
  }

  private static Map<String, Set<String>> uses() throws IOException {
    Map<String, Set<String>> uses = new TreeMap<>();
    for (String module : MODULES) {
      for (Path file : classes(module)) {
        Set<String> its = uses.computeIfAbsent(packageOf(module, file), none -> new TreeSet<>());
        String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
        Matcher used = CLASS.matcher(bytes);
        while (used.find()) {
          its.add(used.group(2).replace('.', '/'));
        }
      }
    }
    return uses;
  }

  @Test
  void packagesHaveNoCyclicDependencies() throws IOException {
    Map<String, Set<String>> uses = uses();
    Map<String, Set<String>> reached = new TreeMap<>();
    uses.keySet().forEach(start -> reach(start, start, uses, reached));
    Set<Set<String>> circles = new HashSet<>();
    reached.forEach(
        (start, its) -> {
          Set<String> circle = new TreeSet<>(its);
          circle.removeIf(other -> !reached.getOrDefault(other, Set.of()).contains(start));
          if (circle.size() > 1) {
            circles.add(circle);
          }
        });
    assertThat(circles).isEmpty();
  }

  /** Collects the packages reachable from a package, including itself. */
  private static void reach(
      String start, String from, Map<String, Set<String>> uses, Map<String, Set<String>> reached) {
    if (reached.computeIfAbsent(start, none -> new TreeSet<>()).add(from)) {
      uses.getOrDefault(from, Set.of()).forEach(next -> reach(start, next, uses, reached));
    }
  }

  /** Counts tests and resources too. */
  @Test
  void noPackageIsLarge() throws IOException {
    Map<Path, Integer> sizes = new TreeMap<>();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src"))) {
        files
            .filter(Files::isRegularFile)
            .forEach(f -> sizes.merge(f.getParent(), 1, Integer::sum));
      }
    }
    assertThat(sizes).isNotEmpty();
    sizes.values().removeIf(size -> size <= MAX_FILES);
    assertThat(sizes).isEmpty();
  }

  /** Package below {@code io/millrace}; empty for other classes. */
  private static String packageOf(String module, Path file) {
    String folder = root(module).relativize(file.getParent()).toString();
    return folder.replaceFirst("^io/millrace/", "");
  }

  private static Path root(String module) {
    return Path.of("..", module, "target", "classes");
  }

  private static List<Path> classes(String module) throws IOException {
    Path root = root(module);
    try (Stream<Path> files = Files.walk(root)) {
      List<Path> classes = files.filter(file -> file.toString().endsWith(".class")).toList();
      assertThat(classes).as("classes of %s", root).isNotEmpty();
      return classes;
    }
  }
}
