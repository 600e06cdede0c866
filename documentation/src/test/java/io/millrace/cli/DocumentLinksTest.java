package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DocumentLinksTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOCS = ROOT.resolve("docs");
  private static final Pattern FENCED = Pattern.compile("(?ms)^ *```.*?^ *```");
  private static final Pattern INLINE_CODE = Pattern.compile("`[^`\n]*`");
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*)$");
  private static final Pattern LINK_OF_HEADING = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

  private static final Pattern NAMED_TEST =
      Pattern.compile("`([A-Z][a-z][A-Za-z0-9]*(?:Test|IT))(?:\\.(\\w+))?`");

  @Test
  void eachRelativeLinkLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      for (Link link : links(page)) {
        if (!Files.exists(link.target()) || !hasAnchor(link)) {
          broken.add(ROOT.relativize(page) + " → " + link.text());
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void eachPageOfTheDocumentationIsReachedFromItsIndex() throws IOException {
    Set<Path> reached = new HashSet<>();
    Deque<Path> next = new ArrayDeque<>(List.of(DOCS.resolve("README.md")));
    while (!next.isEmpty()) {
      Path page = next.pop();
      if (page.startsWith(DOCS) && page.toString().endsWith(".md") && reached.add(page)) {
        links(page).forEach(link -> next.push(link.target()));
      }
    }
    assertThat(reached).containsExactlyInAnyOrderElementsOf(documentation());
  }

  /** Methods too, as {@code NameTest.method}. */
  @Test
  void eachTestThatAPageNamesIsThere() throws IOException {
    Map<String, String> tests = tests();
    List<String> missing = new ArrayList<>();
    for (Path page : pages()) {
      for (MatchResult named : NAMED_TEST.matcher(withoutFences(page)).results().toList()) {
        String test = tests.get(named.group(1));
        if (test == null || (named.group(2) != null && !test.contains(named.group(2) + "("))) {
          missing.add(ROOT.relativize(page) + " → " + named.group());
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  /** Sources by name, those of the same name together. */
  private static Map<String, String> tests() throws IOException {
    Map<String, String> tests = new HashMap<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : files.filter(DocumentLinksTest::isTestSource).toList()) {
        tests.merge(
            file.getFileName().toString().replace(".java", ""),
            Files.readString(file),
            String::concat);
      }
    }
    return tests;
  }

  private static boolean isTestSource(Path file) {
    String path = file.toString();
    return path.endsWith(".java") && path.contains("/src/test/") && !path.contains("/target/");
  }

  /** A link as it is written, the file that it leads to, and the heading's anchor, or "". */
  private record Link(String text, Path target, String anchor) {}

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(documentation());
    for (String name : List.of("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")) {
      pages.add(ROOT.resolve(name + ".md"));
    }
    return pages;
  }

  private static List<Path> documentation() throws IOException {
    try (Stream<Path> files = Files.walk(DOCS)) {
      return files.filter(file -> file.toString().endsWith(".md")).toList();
    }
  }

  private static List<Link> links(Path page) throws IOException {
    String text = INLINE_CODE.matcher(withoutFences(page)).replaceAll("");
    return LINK.matcher(text)
        .results()
        .map(found -> found.group(1))
        .filter(link -> !link.contains("://"))
        .map(
            link -> {
              String[] parts = link.split("#", 2);
              Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
              return new Link(link, target, parts.length == 1 ? "" : parts[1]);
            })
        .toList();
  }

  private static boolean hasAnchor(Link link) throws IOException {
    return link.anchor().isEmpty() || anchors(link.target()).contains(link.anchor());
  }

  /** The anchors that GitHub gives to the headings of a page. */
  private static Set<String> anchors(Path page) throws IOException {
    Map<String, Integer> times = new HashMap<>();
    Set<String> anchors = new HashSet<>();
    for (MatchResult heading : HEADING.matcher(withoutFences(page)).results().toList()) {
      String anchor =
          LINK_OF_HEADING
              .matcher(heading.group(1))
              .replaceAll("$1")
              .strip()
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N}_ -]", "")
              .replace(' ', '-');
      int before = times.merge(anchor, 1, Integer::sum) - 1;
      anchors.add(before == 0 ? anchor : anchor + "-" + before);
    }
    return anchors;
  }

  private static String withoutFences(Path page) throws IOException {
    return FENCED.matcher(Files.readString(page)).replaceAll("");
  }
}
