package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.gateways.TopGateways;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GatewayPrinterTest {
  @Test
  void printsATableOfTheGreatest() {
    TopGateways.Top top =
        new TopGateways.Top(
            Optional.of(LocalDate.of(2026, 3, 1)),
            1_200,
            List.of(
                new TopGateways.Row(1, "gw-1", 10_500, 500, 10_000, 60),
                new TopGateways.Row(2, "gw-2", 7, 3, 4, 60)));

    assertThat(GatewayPrinter.text(top, LocalTime.of(14, 3, 7)))
        .isEqualToIgnoringNewLines(
            """
            14:03:07  top 2 of 1,200 gateways on 2026-03-01
                  gateway                              bytes              sent          received
               1  gw-1                                10,500               500            10,000
               2  gw-2                                     7                 3                 4
            """);
  }
}
