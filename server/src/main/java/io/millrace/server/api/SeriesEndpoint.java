package io.millrace.server.api;

import io.millrace.server.series.SeriesGaps;
import io.millrace.store.Cancellation;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.QueryException;
import io.millrace.store.SeriesResult;
import io.millrace.store.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * {@code GET /api/v1/series?by=as&last=1d}: the largest groups over time; see {@code openapi.yaml}.
 * The query is cancelled when its client disconnects.
 */
public final class SeriesEndpoint implements Endpoint {
  private final Store store;
  private final LongSupplier unsampled;

  /**
   * Creates an endpoint that queries this store.
   *
   * @param unsampled supplies the number of rows with an unknown sampling rate
   */
  public SeriesEndpoint(Store store, LongSupplier unsampled) {
    this.store = store;
    this.unsampled = unsampled;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    Cancellation cancellation = new Cancellation();
    FlowQuery request;
    Map<String, Object> response;
    try (ClientWatch watch = exchange.awaitWorker(cancellation)) {
      request = FlowQueryParameters.series(exchange);
      SeriesResult result = store.series(request, cancellation);
      SeriesGaps gaps = new SeriesGaps(request, result, all -> store.series(all, cancellation));
      response = response(request.measure(), result, gaps);
    } catch (QueryException e) {
      throw ApiException.of(e);
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, e.getMessage());
    }
    exchange.respond(response);
  }

  private Map<String, Object> response(Measure measure, SeriesResult result, SeriesGaps gaps) {
    SeriesResult.Period period = result.period();
    long step = result.step().toMillis();
    long first = period.from().toEpochMilli();
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < period.total().rates().length; i++) {
      times.add(first + i * step);
    }
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("columns", result.columns());
    response.put("measure", measure.label());
    response.put("unit", measure.unit());
    response.put("step_seconds", result.step().toSeconds());
    response.put("times", times);
    boolean[] its = gaps.of(period);
    response.putAll(period(result.columns(), period, its));
    response.put("gaps", SeriesGaps.ranges(its, period.from(), result.step()));
    response.put("estimated", result.isEstimated());
    response.put("complete_until", result.completeUntil().toString());
    response.put("fresh_to", result.freshTo().toString());
    response.put("note", note(measure, result));
    result
        .previous()
        .ifPresent(
            before -> response.put("previous", period(result.columns(), before, gaps.of(before))));
    result
        .reverse()
        .ifPresent(other -> response.put("reverse", period(result.columns(), other, its)));
    return response;
  }

  private String note(Measure measure, SeriesResult result) {
    if (result.period().total().rates().length == 0) {
      return "no rows in this time range";
    }
    SeriesResult.Line total = result.period().total();
    return TopEndpoint.sampled(total.error(), total.total())
        + (measure == Measure.FLOWS
            ? "flows are counted without scaling"
            : TopEndpoint.volumes(result.isEstimated(), unsampled.getAsLong()));
  }

  private static Map<String, Object> period(
      List<String> columns, SeriesResult.Period period, boolean[] gaps) {
    List<Object> groups = new ArrayList<>();
    for (SeriesResult.Group group : period.groups()) {
      Map<String, Object> key = new LinkedHashMap<>();
      Map<String, Object> labels = new LinkedHashMap<>();
      for (int i = 0; i < columns.size(); i++) {
        key.put(columns.get(i), group.key().get(i));
        labels.put(columns.get(i), group.labels().get(i));
      }
      Map<String, Object> its = new LinkedHashMap<>();
      its.put("key", key);
      its.put("labels", labels);
      its.put("label", group.label());
      its.putAll(line(group.line(), gaps));
      groups.add(its);
    }
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("from", period.from().toString());
    response.put("to", period.to().toString());
    response.put("groups", groups);
    response.put("others", line(period.others(), gaps));
    response.put("total", line(period.total(), gaps));
    response.put("source", period.source());
    response.put("bound", period.bound());
    return response;
  }

  private static Map<String, Object> line(SeriesResult.Line line, boolean[] gaps) {
    List<Double> values = new ArrayList<>();
    for (int i = 0; i < line.rates().length; i++) {
      double rate = line.rates()[i];
      values.add(Double.isNaN(rate) || gaps[i] ? null : rate);
    }
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("values", values);
    response.put("average", line.average());
    response.put("maximum", line.maximum());
    response.put("p95", line.p95());
    response.put("errors", line.errors());
    response.put("total", line.total());
    response.put("share", line.share());
    response.put("bound", line.bound());
    response.put("error", line.error());
    return response;
  }
}
