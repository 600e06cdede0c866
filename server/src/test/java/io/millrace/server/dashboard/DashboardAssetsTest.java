package io.millrace.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.runtime.MillraceConfig;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DashboardAssetsTest {
  private final DashboardAssets assets = new DashboardAssets(MillraceConfig.defaults().pipelines());

  @Test
  void servesEveryFileOfTheFolderAndNothingElse() throws Exception {
    for (String path : files()) {
      boolean served = assets.find(path).isPresent();
      assertThat(served).as(path).isEqualTo(!path.endsWith(".md"));
    }
    for (String path : List.of("", "/web/index.html", "/../logback.xml", "/live", "/live/")) {
      assertThat(assets.find(path)).as(path).isEmpty();
    }
    assertThat(assets.find("/").orElseThrow().contentType()).startsWith("text/html");
  }

  @Test
  void everyReferencedFileExists() {
    for (String reference : matches("(?:href|src)=\"([^\"#][^\"]*)\"", text("/index.html"))) {
      assertThat(assets.find("/" + reference)).as(reference).isPresent();
    }
    assertThat(matches("(?:href|src)=\"([^\"#][^\"]*)\"", text("/index.html"))).isNotEmpty();
  }

  @Test
  void everyImportedModuleExists() throws Exception {
    for (String module : modules()) {
      for (String imported : matches("from \"([^\"]+)\"", text(module))) {
        assertThat(assets.find(resolved(module, imported)))
            .as(module + " imports " + imported)
            .isPresent();
      }
    }
  }

  @Test
  void modulesOfPipelinesExportTheCalledFunctions() {
    assertThat(modulesOfPipelines()).contains("/pipelines/gateways.js", "/pipelines/trends.js");
    for (String module : modulesOfPipelines()) {
      assertThat(exported(module)).as(module).contains("title", "refresh");
    }
    assertThat(assets.find("/pipelines/flows.js")).isEmpty();
  }

  @Test
  void everyNameThatIsImportedIsExported() throws Exception {
    for (String module : modules()) {
      Matcher imports =
          Pattern.compile("import \\{([^}]*)\\} from \"([^\"]+)\"").matcher(text(module));
      while (imports.find()) {
        List<String> exported = exported(resolved(module, imports.group(2)));
        for (String name : matches("(\\w+)", imports.group(1).replaceAll(" as \\w+", ""))) {
          assertThat(exported).as(module + " from " + imports.group(2)).contains(name);
        }
      }
    }
  }

  @Test
  void everyQueriedElementExists() throws Exception {
    List<String> ids = matches("\\bid=\"([^\"]+)\"", text("/index.html"));
    assertThat(ids).doesNotHaveDuplicates();
    for (String module : modules()) {
      assertThat(ids).containsAll(matches("getElementById\\(\"([^\"]+)\"\\)", text(module)));
    }
    assertThat(ids)
        .containsAll(
            matches("(?:for|aria-labelledby|aria-describedby)=\"([^\"]+)\"", text("/index.html")));
    for (String page : matches("<a href=\"#([^\"]+)\"", text("/index.html"))) {
      assertThat(assets.find("/" + page + "/" + page + ".js")).as(page).isPresent();
    }
  }

  @Test
  void nothingComesFromAnotherHostAndNoTextBecomesMarkup() throws Exception {
    List<String> paths = new ArrayList<>(modulesOfPipelines());
    paths.addAll(served());
    for (String path : paths) {
      if (path.startsWith("/uplot/")) {
        continue; // a library as it was released
      }
      assertThat(text(path).replace("http://www.w3.org/2000/svg", ""))
          .as(path)
          .doesNotContain("http://", "https://", "innerHTML", "insertAdjacentHTML", "eval(")
          .doesNotContainPattern("(?:src|href)=\"//");
    }
  }

  /** uPlot 1.6.32 as released, by SHA-256. */
  @Test
  void theChartLibraryIsTheReleasedFile() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    byte[] library = assets.find("/uplot/uPlot.iife.min.js").orElseThrow().bytes();
    assertThat(HexFormat.of().formatHex(digest.digest(library)))
        .isEqualTo("19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f");
    assertThat(Files.readString(root().resolve("uplot/LICENSE.md"))).startsWith("The MIT License");
  }

  @Test
  void noMarkupHasInlineStylesOrScripts() {
    assertThat(text("/index.html"))
        .doesNotContain("<style")
        .doesNotContainPattern("\\s(style|on\\w+)=");
    assertThat(matches("<script[^>]*>([^<]+)</script>", text("/index.html"))).isEmpty();
    assertThat(DashboardAssets.HEADERS.get("Content-Security-Policy"))
        .contains("default-src 'self'")
        .doesNotContain("unsafe");
  }

  /** Paths of all modules, including those of pipelines. */
  private List<String> modules() throws Exception {
    List<String> modules = new ArrayList<>(modulesOfPipelines());
    served().stream().filter(path -> path.endsWith(".js")).forEach(modules::add);
    return modules;
  }

  private static List<String> modulesOfPipelines() {
    return MillraceConfig.defaults().pipelines().stream()
        .flatMap(pipeline -> DashboardAssets.module(pipeline).stream())
        .map(path -> "/" + path)
        .toList();
  }

  /** Path that an import of a module resolves to. */
  private static String resolved(String module, String imported) {
    return URI.create(module).resolve(imported).getPath();
  }

  private List<String> exported(String module) {
    return matches("export (?:async )?(?:function|const|class) (\\w+)", text(module));
  }

  /** Paths of all files of the folder, as the page requests them. */
  private static List<String> files() throws IOException, URISyntaxException {
    Path root = root();
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> "/" + root.relativize(file).toString().replace('\\', '/'))
          .toList();
    }
  }

  private static List<String> served() throws Exception {
    return files().stream().filter(path -> !path.endsWith(".md")).toList();
  }

  private static Path root() throws URISyntaxException {
    return Path.of(DashboardAssets.class.getResource("/web/index.html").toURI()).getParent();
  }

  private String text(String path) {
    return new String(assets.find(path).orElseThrow().bytes(), StandardCharsets.UTF_8);
  }

  private static List<String> matches(String pattern, String text) {
    List<String> found = new ArrayList<>();
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }
}
