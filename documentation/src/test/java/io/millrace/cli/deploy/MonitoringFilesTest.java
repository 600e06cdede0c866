package io.millrace.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.testing.GrafanaSql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** What can be said of dashboards and alerts without an instance. */
class MonitoringFilesTest {
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*)$");
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{?(\\w+)");
  private static final int COLUMNS = 24;

  @Test
  void eachAlertSaysWhatToDoAndWhereThatIsDescribed() throws IOException {
    Set<String> names = new HashSet<>();
    for (Map<String, Object> alert : Dashboards.alerts()) {
      String name = (String) alert.get("alert");
      assertThat(names.add(name)).as(name).isTrue();
      assertThat(((Map<?, ?>) alert.get("labels")).get("severity"))
          .as(name)
          .isIn("warning", "critical");
      Map<?, ?> annotations = (Map<?, ?>) alert.get("annotations");
      assertThat(annotations.keySet())
          .as(name)
          .isEqualTo(Set.of("summary", "description", "documentation"));
      String[] page = ((String) annotations.get("documentation")).split("#", 2);
      assertThat(Path.of("..", page[0])).as(name).exists();
      if (page.length > 1) {
        assertThat(anchors(Path.of("..", page[0]))).as(name).contains(page[1]);
      }
    }
    assertThat(names).hasSizeGreaterThan(15);
  }

  private static Set<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(Files.readString(page))
        .results()
        .map(heading -> heading.group(1).strip().toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  /** With a time at which it fires and one at which it does not. */
  @Test
  void eachAlertHasATest() {
    Set<String> tested = new TreeSet<>();
    for (Object test : (List<?>) Dashboards.yaml(Dashboards.RULES_TEST).get("tests")) {
      List<?> cases = (List<?>) ((Map<?, ?>) test).get("alert_rule_test");
      assertThat(cases).extracting(each -> isFiring((Map<?, ?>) each)).contains(true, false);
      cases.forEach(each -> tested.add((String) ((Map<?, ?>) each).get("alertname")));
    }
    assertThat(tested)
        .isEqualTo(
            Dashboards.alerts().stream()
                .map(alert -> (String) alert.get("alert"))
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  private static boolean isFiring(Map<?, ?> test) {
    return !((List<?>) test.get("exp_alerts")).isEmpty();
  }

  /** Grafana ignores fields that it does not know, such as misspelt ones. */
  @Test
  void dashboardsHaveOnlyFieldsOfGrafanasSchema() throws IOException {
    GoTools.require(GoTools.CHECK);
    List<String> arguments = new ArrayList<>(List.of("dashboards"));
    GrafanaSql.dashboards().forEach(file -> arguments.add(file.toString()));
    assertThat(GoTools.run(GoTools.CHECK, arguments.toArray(new String[0])))
        .contains("dashboard Millrace: health");
  }

  @Test
  void panelsOfADashboardDoNotOverlapAndUseItsVariables() {
    Set<String> uids = new HashSet<>();
    for (JsonNode dashboard : Dashboards.all()) {
      String title = dashboard.path("title").asText();
      assertThat(uids.add(dashboard.path("uid").asText())).as(title).isTrue();
      Set<String> variables =
          StreamSupport.stream(dashboard.path("templating").path("list").spliterator(), false)
              .map(variable -> variable.path("name").asText())
              .collect(Collectors.toCollection(TreeSet::new));
      Set<Integer> ids = new HashSet<>();
      Set<Integer> cells = new HashSet<>();
      for (JsonNode panel : dashboard.path("panels")) {
        String name = title + ": " + panel.path("title").asText();
        assertThat(ids.add(panel.path("id").asInt())).as(name).isTrue();
        JsonNode at = panel.path("gridPos");
        int right = at.path("x").asInt() + at.path("w").asInt();
        assertThat(right).as(name).isLessThanOrEqualTo(COLUMNS);
        for (int x = at.path("x").asInt(); x < right; x++) {
          for (int y = 0; y < at.path("h").asInt(); y++) {
            assertThat(cells.add(x + COLUMNS * (at.path("y").asInt() + y))).as(name).isTrue();
          }
        }
        assertThat(panel.path("targets")).as(name).isNotEmpty();
        VARIABLE
            .matcher(panel.toString())
            .results()
            .map(found -> found.group(1))
            .filter(found -> !found.startsWith("__"))
            .forEach(found -> assertThat(variables).as(name).contains(found));
      }
    }
    assertThat(uids).hasSizeGreaterThanOrEqualTo(3);
  }
}
