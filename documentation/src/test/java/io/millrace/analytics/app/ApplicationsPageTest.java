package io.millrace.analytics.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of the applications is what the tables and the classes know. */
class ApplicationsPageTest {
  private static final Path SOURCES =
      Path.of("../analytics/src/main/java/io/millrace/analytics/app");
  private static final Pattern LITERAL = Pattern.compile("\"([A-Za-z0-9][\\w.()+-]{1,30})\"");
  private static final String HEAD =
      """
      # Applications

      Each protocol and service that nDPI 4.2 lists (`ndpiReader -h`), then those that only later releases or we have. [How they are
      known](../apps.md#how-an-application-is-known); the last column says why one is not.

      - *names*: number of host names, in TLS, QUIC, HTTP and DNS, each for all names below it
      - *bytes*: forms of the first packets, of 24 bits of evidence or more, or 16 with a port
      - *structure*: a class of its own reads it
      - *port*: where no payload was seen
      - *ranges*: number of ranges of addresses, where nothing else is known

      | nDPI | here | known by, or why not |
      | --- | --- | --- |
      """;

  private final Map<String, Set<String>> known = new HashMap<>();
  private final Map<String, Integer> names = new TreeMap<>();
  private final Map<String, Integer> ranges = new TreeMap<>();

  private static List<String> lines(String resource) throws IOException {
    try (InputStream in = ApplicationsPageTest.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    }
  }

  private void know(String app, String by) {
    known.computeIfAbsent(app, first -> new LinkedHashSet<>()).add(by);
  }

  private static void count(List<String> lines, Map<String, Integer> counts) {
    for (String line : lines) {
      int tab = line.indexOf('\t');
      int entries = line.substring(tab + 1).strip().split(" +", -1).length;
      counts.merge(line.substring(0, tab), entries, Integer::sum);
    }
  }

  private void learn() throws IOException {
    count(lines("names.tsv"), names);
    count(lines("addresses.tsv"), ranges);
    names.forEach((app, number) -> know(app, number + (number == 1 ? " name" : " names")));
    for (String line : lines("signatures.tsv")) {
      for (String app : line.substring(0, line.indexOf(' ')).split("\\.", -1)) {
        know(app, "bytes");
      }
    }
    Set<String> literals = new TreeSet<>();
    try (Stream<Path> files = Files.list(SOURCES)) {
      for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
        Matcher literal = LITERAL.matcher(Files.readString(file));
        while (literal.find()) {
          literals.add(literal.group(1));
        }
      }
    }
    for (String line : lines("ndpi.tsv")) {
      String[] words = line.split("\t", -1);
      String app = words[1].startsWith("=") ? words[1].substring(1) : words[0];
      if (literals.contains(app)) {
        know(app, "structure");
      }
    }
    for (String line : lines("ports.tsv")) {
      know(line.substring(0, line.indexOf(' ')), "port");
    }
    ranges.forEach((app, number) -> know(app, number + " ranges"));
  }

  private String page() throws IOException {
    learn();
    StringBuilder page = new StringBuilder(HEAD);
    Set<String> listed = new TreeSet<>();
    Function<String, String> ways = app -> String.join(", ", known.getOrDefault(app, Set.of()));
    for (String line : lines("ndpi.tsv")) {
      String[] words = line.split("\t", -1);
      String app = words[1].startsWith("=") ? words[1].substring(1) : words[0];
      String why = words[1].startsWith("=") ? "" : words[1];
      boolean isKnown = known.containsKey(app);
      listed.add(app);
      page.append(
          "| %s | %s | %s |%n"
              .formatted(words[0], isKnown ? app : "", isKnown ? ways.apply(app) : why));
      assertThat(isKnown || !why.isEmpty())
          .as(words[0] + " is not known, and no reason given")
          .isTrue();
    }
    List<String> others = new ArrayList<>(new TreeSet<>(known.keySet()));
    others.removeAll(listed);
    for (String app : others) {
      page.append("| | %s | %s |%n".formatted(app, ways.apply(app)));
    }
    return page.toString();
  }

  @Test
  void thePageHasADecisionForEachProtocol() throws IOException {
    String page = page();
    Files.writeString(Path.of("target/applications.md"), page);
    assertThat(Files.readString(Path.of("../docs/reference/applications.md")))
        .as("rewrite it: cp documentation/target/applications.md docs/reference/applications.md")
        .isEqualTo(page);
  }

  @Test
  void noNameIsOfTwoApplications() throws IOException {
    Map<String, String> apps = new HashMap<>();
    for (String line : lines("names.tsv")) {
      int tab = line.indexOf('\t');
      for (String name : line.substring(tab + 1).strip().split(" +", -1)) {
        String app = line.substring(0, tab);
        assertThat(apps.merge(name, app, (first, second) -> first)).as(name).isEqualTo(app);
      }
    }
  }
}
