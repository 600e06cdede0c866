package io.millrace.server.api;

import io.millrace.pipelines.gateways.TopGateways;
import io.millrace.store.QueryException;
import java.io.IOException;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code GET /api/v1/gateways/top?day=2026-01-31&n=10}: the gateways with the greatest totals of a
 * day, of the newest one unless another is said.
 */
public final class TopGatewaysEndpoint implements Endpoint {
  private final Optional<TopGateways> gateways;

  /**
   * @param gateways empty where there are none
   */
  public TopGatewaysEndpoint(Optional<TopGateways> gateways) {
    this.gateways = gateways;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    TopGateways asked =
        gateways.orElseThrow(
            () ->
                new ApiException(
                    404, "no gateways are added up here: write gateways.enabled: true"));
    Optional<LocalDate> day = exchange.given("day").map(TopGatewaysEndpoint::day);
    int most = exchange.intParameter("n", 10, 1, 10_000);
    try {
      exchange.answer(json(asked.of(day, most)));
    } catch (QueryException e) {
      throw ApiException.of(e);
    }
  }

  private static LocalDate day(String text) {
    try {
      return LocalDate.parse(text);
    } catch (DateTimeParseException e) {
      throw new ApiException(400, "day: " + text + " is not a day, write 2026-01-31");
    }
  }

  private static Map<String, Object> json(TopGateways.Top top) {
    List<Object> rows = new ArrayList<>();
    for (TopGateways.Row row : top.rows()) {
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("rank", row.rank());
      each.put("gateway", row.gateway());
      each.put("total", row.total());
      each.put("tx", row.tx());
      each.put("rx", row.rx());
      each.put("seconds", row.seconds());
      rows.add(each);
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("day", top.day().map(LocalDate::toString).orElse(null));
    answer.put("gateways", top.gateways());
    answer.put("rows", rows);
    return answer;
  }
}
