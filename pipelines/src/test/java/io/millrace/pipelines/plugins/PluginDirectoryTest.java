package io.millrace.pipelines.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pipelines.Pipeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginDirectoryTest {
  @TempDir private Path work;
  private Path jars;

  @BeforeEach
  void makeDirectory() throws IOException {
    jars = Files.createDirectory(work.resolve("jars"));
  }

  private Path plugin(String type, String name, String body) throws IOException {
    Path classes = PluginJar.compile(work, type, PluginJar.source(type, name, body));
    return PluginJar.pack(jars.resolve(type + ".jar"), classes, "plugin." + type + "\n");
  }

  private void rejected(String... parts) {
    assertThatThrownBy(() -> new PluginDirectory(jars))
        .isInstanceOf(PluginException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(parts).doesNotContain("\n"));
  }

  @Test
  void findsPluginsAndSaysFromWhichJarTheyAre() throws IOException {
    Path b = plugin("Second", "b_table", "");
    Path a = plugin("First", "a_table", "");
    List<PluginDirectory.Plugin> plugins = new PluginDirectory(jars).plugins();
    assertThat(plugins)
        .extracting(plugin -> plugin.pipeline().name())
        .containsExactly("a_table", "b_table");
    assertThat(plugins).extracting(PluginDirectory.Plugin::jar).containsExactly(a, b);
    assertThat(PluginDirectory.jarsOf(List.of(plugins.get(1).pipeline()))).containsExactly(a, b);
    assertThat(PluginDirectory.jarsOf(Pipeline.all())).isEmpty();
  }

  @Test
  void aJarWithoutAPluginIsALibraryOfTheOthers() throws IOException {
    Path library =
        PluginJar.compile(
            work, "Words", "package lib; public class Words { public static String N = \"n\"; }");
    Path classes =
        PluginJar.compile(
            work,
            "User",
            PluginJar.source("User", "user", "static final String WORD = lib.Words.N;"),
            "-cp",
            System.getProperty("java.class.path") + java.io.File.pathSeparator + library);
    PluginJar.pack(jars.resolve("user.jar"), classes, "plugin.User");
    rejected(
        "user.jar: class lib.Words is missing; put the jar that contains it into the same"
            + " directory");
    PluginJar.pack(jars.resolve("words.jar"), library, "");
    assertThat(new PluginDirectory(jars).plugins()).hasSize(1);
  }

  @Test
  void rejectsADirectoryWithoutJarsAndJarsWithoutPlugins() throws IOException {
    rejected("no jars in " + jars);
    PluginJar.pack(jars.resolve("empty.jar"), Files.createDirectory(work.resolve("none")), "");
    rejected("the jars in " + jars + " contain no pipeline");
    jars = work.resolve("absent");
    rejected(jars + " is not a directory");
  }

  @Test
  void rejectsAJarThatIsNone() throws IOException {
    Files.writeString(jars.resolve("text.jar"), "not a zip");
    rejected("text.jar: not a jar", "replace or remove it");
  }

  @Test
  void rejectsAMissingService() throws IOException {
    Path classes = PluginJar.compile(work, "A", PluginJar.source("A", "a", ""));
    PluginJar.pack(jars.resolve("a.jar"), classes, "plugin.Missing");
    rejected("a.jar: Provider plugin.Missing not found; docs/analyzers.md");
  }

  @Test
  void rejectsAServiceWhoseConstructorFails() throws IOException {
    plugin("A", "a", "public A() { throw new IllegalStateException(\"no disk\"); }");
    rejected("A.jar: java.lang.IllegalStateException: no disk");
  }

  @Test
  void rejectsClassesOfALaterJava() throws IOException {
    Path classes = PluginJar.compile(work, "A", PluginJar.source("A", "a", ""));
    Path file = classes.resolve("plugin/A.class");
    byte[] bytes = Files.readAllBytes(file);
    bytes[7] = 99; // the major version
    Files.write(file, bytes);
    PluginJar.pack(jars.resolve("a.jar"), classes, "plugin.A");
    rejected(
        "a.jar: class plugin.A is compiled for Java 55, but this is Java "
            + Runtime.version().feature(),
        "compile it with --release");
  }

  @Test
  void rejectsTwoPluginsOfOneName() throws IOException {
    plugin("A", "same", "");
    plugin("B", "same", "");
    rejected("B.jar: class plugin.B has the name same, which class plugin.A of ", "A.jar also has");
  }

  @Test
  void rejectsNamesThatAreTakenOrWrong() throws IOException {
    Path jar = plugin("A", "flows", "");
    rejected(
        "A.jar: class plugin.A: 'flows' is not a valid name: the name is reserved for tables of flows");
    Files.delete(jar);
    plugin("B", "Bad-Name", "");
    rejected("'Bad-Name' is not a valid name: expected lower-case letters");
  }

  @Test
  void rejectsTablesWhoseNamesMillraceKeepsForItself() throws IOException {
    plugin(
        "A",
        "a",
        """
        @Override public java.util.Map<String, String> views() {
          return java.util.Map.of("exporters", "SELECT 1");
        }
        """);
    rejected("A.jar: class plugin.A: invalid table or view name exporters: the name is reserved");
  }

  @Test
  void rejectsAPipelineThatDoesNotSayWhatItIs() throws IOException {
    plugin("A", "a", "@Override public java.util.Map<String, String> views() { return null; }");
    rejected("A.jar: class plugin.A could not be initialized", "contact its author");
  }

  @Test
  void rejectsJarsForAClusterThatBringClassesOfMillraceAlong() throws IOException {
    Path entry = Files.createDirectories(work.resolve("own/io/millrace/pipelines"));
    Files.write(entry.resolve("Pipeline.class"), new byte[1]);
    Path jar = PluginJar.pack(jars.resolve("fat.jar"), work.resolve("own"), "");
    assertThatThrownBy(() -> PluginDirectory.rejectOwnClasses(List.of(jar)))
        .isInstanceOf(PluginException.class)
        .hasMessageContaining("fat.jar: contains classes of Millrace");
  }
}
