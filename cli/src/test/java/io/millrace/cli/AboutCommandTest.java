package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class AboutCommandTest {
  @Test
  void saysVersionAndJava() {
    assertThat(printed("about")).startsWith("millrace ").contains("Java ", "Apache-2.0");
  }

  @Test
  void eachLibraryInsideTheJarHasAVersionAndALicense() throws Exception {
    List<AboutCommand.Library> libraries = libraries();
    assertThat(libraries)
        .extracting(AboutCommand.Library::name)
        .contains(
            "org.duckdb:duckdb_jdbc", "org.apache.flink:flink-runtime", "io.netty:netty-handler");
    assertThat(libraries)
        .allSatisfy(
            library -> {
              assertThat(library.version()).as(library.name()).isNotEmpty();
              assertThat(library.licenses()).as(library.name()).isNotEmpty();
            });
  }

  @Test
  void nothingInsideIsForTestsOrMeasuringOnly() throws Exception {
    assertThat(libraries())
        .extracting(AboutCommand.Library::name)
        .noneMatch(
            name -> name.matches(".*(jmh|profiler|junit|jqwik|assertj|flight-sql-jdbc|storm).*"));
  }

  @Test
  void licensesOfLibrariesDoNotReplaceEachOther() throws Exception {
    libraries();
    assertThat(AboutCommand.class.getResource("/META-INF/licenses/guava-jar/META-INF/LICENSE"))
        .isNotNull();
    assertThat(AboutCommand.class.getResource("/META-INF/licenses/avro-jar/META-INF/NOTICE"))
        .isNotNull();
  }

  @Test
  void listsThemInTheFormatsOfAllCommands() throws Exception {
    libraries();
    assertThat(printed("about", "--licenses", "--format", "csv"))
        .startsWith("library,version,licenses")
        .containsPattern("org.duckdb:duckdb_jdbc,[0-9.]+,MIT");
  }

  /** Empty for classes compiled by an editor, since the build writes the list. */
  private static List<AboutCommand.Library> libraries() throws Exception {
    assumeTrue(
        AboutCommand.class.getResource(AboutCommand.BILL_OF_MATERIALS) != null,
        "no list of libraries beside these classes: mvn process-classes writes it");
    return AboutCommand.libraries();
  }

  private static String printed(String... arguments) {
    StringWriter out = new StringWriter();
    assertThat(Main.run(new PrintWriter(out), new PrintWriter(new StringWriter()), arguments))
        .isZero();
    return out.toString();
  }
}
