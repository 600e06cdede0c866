package io.millrace.lab.ads;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.Figure;
import org.junit.jupiter.api.Test;

class AdsTableTest {
  private final AdsTable table = new AdsTable();

  private static Figure figure(String metric, double value, String engine) {
    return Figure.of("ads", metric, value, "").with("engine", engine);
  }

  private void rate(String engine, int subtasks, double rate, boolean isComplete) {
    table.add(
        figure("rate", rate, engine)
            .with("subtasks", subtasks)
            .with("campaigns", "even")
            .with("complete", isComplete));
  }

  private void delay(String metric, double millis, String engine, int load) {
    table.add(figure(metric, millis, engine).with("load_percent", load));
  }

  @Test
  void enginesAreRowsAndSettingsAreColumns() {
    table.add(figure("rate", 3_000_000, "consumer"));
    rate("millrace", 1, 2_500_000, true);
    table.add(figure("cores", 1.5, "millrace"));
    rate("millrace", 2, 2_250_000, true);
    table.add(figure("cores", 1.75, "millrace"));
    rate("storm", 1, 400_000, false);
    table.add(figure("times", 6.25, "storm"));
    delay("p50_ms", 6, "millrace", 10);
    delay("p99_ms", 9.4, "millrace", 10);
    delay("watermark_p99_ms", 8, "millrace", 10);
    delay("p50_ms", 400, "storm", 10);
    delay("p99_ms", Double.POSITIVE_INFINITY, "storm", 10);

    assertThat(table.lines())
        .startsWith(
            "engine    events/s, 1       cores  events/s, 2  ours / its   ms at 10%",
            "consumer    3,000,000           –            –           –           –",
            "millrace    2,500,000  1.50; 1.75    2,250,000           –     6; 9; 8",
            "storm        400,000*           –            –        6.25  400; never")
        .hasSize(5);
  }

  @Test
  void noFiguresGiveNoTable() {
    table.add(figure("share_of_consumer", 0.8, "millrace"));
    assertThat(table.lines()).isEmpty();
  }
}
