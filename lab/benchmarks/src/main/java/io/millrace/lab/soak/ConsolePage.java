package io.millrace.lab.soak;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/**
 * The requests of a console page until all of it is drawn, in the page's order, its lists three at
 * a time.
 *
 * @param name name of the page
 * @param first requests before the lists, one after the other: paths of the API, and queries
 * @param lists requests of the lists
 */
public record ConsolePage(String name, List<String> first, List<String> lists) {
  private static final int POINTS = 180;
  private static final int LIST_POINTS = 48;
  private static final int EXPLORE_POINTS = 240;
  private static final int PAIRS = 50;
  private static final String SCHEMA =
      "SELECT table_name, column_name, data_type FROM information_schema.columns";

  /** All pages; those of an AS, an address and an interface show the largest ones. */
  public static List<ConsolePage> all(Api api) throws IOException {
    String as = largest(api, "src_as").path("src_as").asText();
    String address = largest(api, "src_addr").path("src_addr").asText();
    JsonNode interfaces = largest(api, "exporter,in_if");
    String exporter = interfaces.path("exporter").asText();
    String number = interfaces.path("in_if").asText();
    String on = "exporter = '" + exporter + "' AND ";
    return List.of(
        now(),
        new ConsolePage(
            "explore", List.of(SCHEMA, series("src_as", "", "1h", EXPLORE_POINTS, 12)), List.of()),
        thing("as", "src_as = " + as, "dst_as = " + as, "dst_as", "src_as"),
        thing("address", address("src", address), address("dst", address), "dst_addr", "src_addr"),
        thing("interface", on + "out_if = " + number, on + "in_if = " + number, "dst_as", "src_as"),
        new ConsolePage("pipelines", List.of("status"), List.of()),
        new ConsolePage("sources", List.of("ledger", "status", "datasets"), List.of()));
  }

  /** The page that is opened first. */
  public static ConsolePage now() {
    return new ConsolePage(
        "now",
        List.of("status", series("src_as", "", "15m", POINTS, 10), SCHEMA),
        now("src_as", "src_domain", "src_addr", "dst_port", "exporter,in_if", "proto"));
  }

  /**
   * A response.
   *
   * @param question the request
   * @param millis time until the response
   * @param freshTo time as of which it is current; empty if not reported
   */
  public record Answer(String question, double millis, String freshTo) {}

  /** Sends all requests of the page. */
  public List<Answer> ask(Api api, ExecutorService browser) throws IOException {
    List<Answer> answers = new ArrayList<>();
    for (String question : first) {
      answers.add(ask(api, question));
    }
    List<Future<Answer>> open = new ArrayList<>();
    lists.forEach(question -> open.add(browser.submit(() -> ask(api, question))));
    for (Future<Answer> answer : open) {
      try {
        answers.add(answer.get());
      } catch (ExecutionException e) {
        throw new IOException("the page " + name + " failed", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while the page " + name + " was loading", e);
      }
    }
    return answers;
  }

  private static Answer ask(Api api, String question) throws IOException {
    long start = System.nanoTime();
    JsonNode answer = question.startsWith("SELECT") ? api.sql(question) : api.get(question);
    if (isOfAllTraffic(question) && answer.path("groups").isEmpty()) {
      throw new IOException("no traffic in the response to " + question);
    }
    return new Answer(
        question, (System.nanoTime() - start) / 1e6, answer.path("fresh_to").asText());
  }

  /** With a filter, few rows may match, and a series may be empty. */
  private static boolean isOfAllTraffic(String question) {
    return question.startsWith("series") && (question + "&").contains("&filter=&");
  }

  private static JsonNode largest(Api api, String by) throws IOException {
    return api.get(series(by, "", "1h", EXPLORE_POINTS, 1)).path("groups").path(0).path("key");
  }

  private static String address(String side, String address) {
    return side + "_addr = '" + address + "'";
  }

  /** A page with the traffic that an object sends and receives. */
  private static ConsolePage thing(
      String name, String out, String into, String target, String source) {
    List<String> lists =
        new ArrayList<>(lists(out, "1h", target, "proto,dst_port", "exporter,in_if"));
    lists.addAll(lists(into, "1h", source, "proto,dst_port", "exporter,out_if"));
    return new ConsolePage(
        name,
        List.of(series(target, out, "1h", POINTS, 1), series(source, into, "1h", POINTS, 1)),
        lists);
  }

  /** Traffic by direction, empty without declared boundaries, and the lists. */
  private static List<String> now(String... dimensions) {
    List<String> asked = new ArrayList<>();
    asked.add(series("in_if_boundary,out_if_boundary", "", "15m", POINTS, PAIRS));
    asked.addAll(lists("", "15m", dimensions));
    return asked;
  }

  private static List<String> lists(String filter, String last, String... dimensions) {
    return Arrays.stream(dimensions).map(by -> series(by, filter, last, LIST_POINTS, 8)).toList();
  }

  private static String series(String by, String filter, String last, int points, int n) {
    return "series?rolled=true&by=%s&measure=bits&last=%s&points=%d&n=%d&filter=%s"
        .formatted(by, last, points, n, URLEncoder.encode(filter, StandardCharsets.UTF_8));
  }
}
