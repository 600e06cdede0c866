package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TopTableTest {
  private static final String ANSWER =
      """
      {"columns": ["src_as"], "metric": "bytes", "total": 1000000000, "seconds": 10.0, "estimated": true,
       "rows": [{"values": ["AS64500 One"], "volume": 750000000, "flows": 1234, "bound": 0},
                {"values": [null], "volume": 250000000, "flows": 7, "bound": 0}]}
      """;
  private static final String SERIES =
      """
      {"groups": [{"labels": {"src_as": "AS64500 One"}, "values": [0, 50, 100]},
                  {"labels": {"src_as": null}, "values": [null, 100, 100]}]}
      """;

  private static String printed(JsonNode series) throws Exception {
    return printed(ANSWER, series);
  }

  private static String printed(String json, JsonNode series) throws Exception {
    StringWriter text = new StringWriter();
    JsonNode answer = new ObjectMapper().readTree(json);
    new TopTable(answer, "bytes", false, series)
        .print(RowPrinter.of(RowFormat.TABLE, new PrintWriter(text)));
    return text.toString();
  }

  @Test
  void ratesHaveUnitsAndGroupsTheirCurve() throws Exception {
    assertThat(printed(new ObjectMapper().readTree(SERIES)))
        .isEqualTo(
            """
            src_as         estimate  share   flows  over time
            ───────────  ──────────  ─────  ──────  ─────────
            AS64500 One  600 Mbit/s  75.0%  1.23 k  ▁▅█
                         200 Mbit/s  25.0%       7   ██
            """);
  }

  @Test
  void portsHaveThePercentilesOfCountersAndOfFlows() throws Exception {
    String json =
        """
        {"columns": ["exporter", "in_if"], "metric": "bytes", "total": 100, "seconds": 8.0,
         "rows": [{"values": ["192.0.2.1", "7"], "volume": 75, "flows": 3, "bound": 0, "p95": 1000, "counters_p95": 1030},
                  {"values": ["192.0.2.1", "8"], "volume": 25, "flows": 1, "bound": 0, "p95": 500, "counters_p95": null}]}
        """;
    StringWriter text = new StringWriter();
    new TopTable(new ObjectMapper().readTree(json), "bytes", true, MissingNode.getInstance())
        .print(RowPrinter.of(RowFormat.TABLE, new PrintWriter(text)));
    assertThat(text.toString())
        .contains("p95  counters p95")
        .contains("1.00 kbit/s   1.03 kbit/s")
        .contains("500 bit/s             -");
  }

  @Test
  void anEstimateThatIsTooUncertainIsNotShown() throws Exception {
    String sampled =
        ANSWER
            .replace("\"seconds\"", "\"error\": 100000000, \"seconds\"")
            .replace("\"bound\": 0", "\"bound\": 0, \"error\": 100000000");
    assertThat(printed(sampled, MissingNode.getInstance()))
        .contains("AS64500 One       600 Mbit/s  80.0 Mbit/s  75.0%")
        .contains("too few samples            -      -");
  }

  @Test
  void groupsOfASampleHaveConfidenceIntervals() throws Exception {
    String sampled =
        ANSWER
            .replace("\"seconds\"", "\"error\": 12500000, \"seconds\"")
            .replace("\"bound\": 0", "\"bound\": 0, \"error\": 12500000");
    assertThat(printed(sampled, MissingNode.getInstance()))
        .isEqualTo(
            """
            src_as         estimate            ±  share   flows
            ───────────  ──────────  ───────────  ─────  ──────
            AS64500 One  600 Mbit/s  10.0 Mbit/s  75.0%  1.23 k
                         200 Mbit/s  10.0 Mbit/s  25.0%       7
            """);
  }

  @Test
  void withoutCurvesTheirColumnIsOmitted() throws Exception {
    assertThat(printed(MissingNode.getInstance())).doesNotContain("over time").contains("75.0%");
  }
}
