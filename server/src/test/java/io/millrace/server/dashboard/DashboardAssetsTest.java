package io.millrace.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.runtime.MillraceConfig;
import java.io.IOException;
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
    for (Path file : files()) {
      String path = "/" + root().relativize(file).toString().replace('\\', '/');
      boolean served = assets.find(path).isPresent();
      assertThat(served).as(path).isEqualTo(!path.endsWith(".md"));
    }
    for (String path : List.of("", "/web/index.html", "/../logback.xml", "/live", "/live/")) {
      assertThat(assets.find(path)).as(path).isEmpty();
    }
    assertThat(assets.find("/").orElseThrow().contentType()).startsWith("text/html");
  }

  @Test
  void everythingThatThePageRefersToIsThere() {
    for (String reference : matches("(?:href|src)=\"([^\"#][^\"]*)\"", text("/index.html"))) {
      assertThat(assets.find("/" + reference)).as(reference).isPresent();
    }
    assertThat(matches("(?:href|src)=\"([^\"#][^\"]*)\"", text("/index.html"))).isNotEmpty();
  }

  @Test
  void everyModuleThatIsImportedIsThere() throws Exception {
    for (Path file : scripts()) {
      for (String imported : matches("from \"([^\"]+)\"", Files.readString(file))) {
        Path target = file.resolveSibling(imported).normalize();
        assertThat(target).as(file + " imports " + imported).isRegularFile();
      }
    }
  }

  @Test
  void aPipelineHasAModuleThatImportsWhatIsThereAndExportsWhatThePageCalls() {
    String module = text("/pipelines/gateways.js");
    for (String imported : matches("from \"\\.\\.(/[^\"]+)\"", module)) {
      assertThat(assets.find(imported)).as(imported).isPresent();
    }
    assertThat(matches("export (?:async )?(?:function|const) (\\w+)", module))
        .contains("title", "refresh");
    assertThat(assets.find("/pipelines/flows.js")).isEmpty();
  }

  @Test
  void everyNameThatIsImportedIsExported() throws Exception {
    for (Path file : scripts()) {
      Matcher imports =
          Pattern.compile("import \\{([^}]*)\\} from \"([^\"]+)\"").matcher(Files.readString(file));
      while (imports.find()) {
        String target = Files.readString(file.resolveSibling(imports.group(2)).normalize());
        List<String> exported =
            matches("export (?:async )?(?:function|const|class) (\\w+)", target);
        for (String name : matches("(\\w+)", imports.group(1).replaceAll(" as \\w+", ""))) {
          assertThat(exported).as(file + " from " + imports.group(2)).contains(name);
        }
      }
    }
  }

  @Test
  void everyElementThatIsLookedUpIsInThePage() throws Exception {
    List<String> ids = matches("\\bid=\"([^\"]+)\"", text("/index.html"));
    assertThat(ids).doesNotHaveDuplicates();
    for (Path file : scripts()) {
      assertThat(ids)
          .containsAll(matches("getElementById\\(\"([^\"]+)\"\\)", Files.readString(file)));
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
    for (Path file : files()) {
      if (file.getParent().endsWith("uplot")) {
        continue; // a library as it was released
      }
      String text = Files.readString(file).replace("http://www.w3.org/2000/svg", "");
      assertThat(text)
          .as(file.toString())
          .doesNotContain("http://", "https://", "innerHTML", "insertAdjacentHTML", "eval(")
          .doesNotContainPattern("(?:src|href)=\"//");
    }
  }

  /** uPlot 1.6.32 as its makers released it, by SHA-256. */
  @Test
  void theChartLibraryIsTheReleasedFile() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    byte[] library = assets.find("/uplot/uPlot.iife.min.js").orElseThrow().bytes();
    assertThat(HexFormat.of().formatHex(digest.digest(library)))
        .isEqualTo("19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f");
    assertThat(Files.readString(root().resolve("uplot/LICENSE.md"))).startsWith("The MIT License");
  }

  @Test
  void noMarkupHasAStyleOrAScriptOfItsOwn() {
    assertThat(text("/index.html"))
        .doesNotContain("<style")
        .doesNotContainPattern("\\s(style|on\\w+)=");
    assertThat(matches("<script[^>]*>([^<]+)</script>", text("/index.html"))).isEmpty();
    assertThat(DashboardAssets.HEADERS.get("Content-Security-Policy"))
        .contains("default-src 'self'")
        .doesNotContain("unsafe");
  }

  private static List<Path> scripts() throws Exception {
    return files().stream().filter(file -> file.toString().endsWith(".js")).toList();
  }

  private static List<Path> files() throws IOException, URISyntaxException {
    try (Stream<Path> files = Files.walk(root())) {
      return files.filter(Files::isRegularFile).toList();
    }
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
