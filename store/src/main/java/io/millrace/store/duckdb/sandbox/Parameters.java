package io.millrace.store.duckdb.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.duckdb.sql.Ast;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.duckdb.DuckDBConnection;

/**
 * Replaces parameters with values before anything else reads the query. So the query that is
 * checked, rewritten and computed from rollups has its values, for example a time range that was
 * given as parameters.
 */
public final class Parameters {
  private static final Pattern MARK = Pattern.compile("\\?\\d*|\\$\\d+");

  private Parameters() {}

  private record Place(int start, int end, int number) {}

  /** Number of values that the query needs. */
  public static int count(DuckDBConnection connection, String sql) throws SQLException {
    return count(places(connection, sql));
  }

  private static int count(List<Place> places) {
    return places.stream().mapToInt(Place::number).max().orElse(0);
  }

  /**
   * The query with the values.
   *
   * @param values SQL literals
   * @throws QueryException if the query needs more or fewer values
   */
  public static String bind(DuckDBConnection connection, String sql, List<String> values)
      throws SQLException {
    List<Place> places = places(connection, sql);
    int count = count(places);
    if (count != values.size()) {
      throw wrong("the query has " + count + " parameters, but got " + values.size() + " values");
    }
    if (places.isEmpty()) {
      return sql;
    }
    byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
    StringBuilder bound = new StringBuilder();
    int from = 0;
    for (Place place : places) {
      bound.append(text(bytes, from, place.start)).append(values.get(place.number - 1));
      from = place.end;
    }
    return bound.append(text(bytes, from, bytes.length)).toString();
  }

  private static QueryException wrong(String message) {
    return new QueryException(Reason.WRONG, message, QueryException.NO_POSITION);
  }

  private static String text(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  private static List<Place> places(DuckDBConnection connection, String sql) throws SQLException {
    if (sql.indexOf('?') < 0 && sql.indexOf('$') < 0) {
      return List.of();
    }
    String prefix = Sandbox.prefix(sql);
    byte[] body = sql.substring(prefix.length()).getBytes(StandardCharsets.UTF_8);
    int shift = prefix.getBytes(StandardCharsets.UTF_8).length;
    List<Place> places = new ArrayList<>();
    collect(Ast.serialized(connection, sql.substring(prefix.length())), body, shift, places);
    places.sort(Comparator.comparingInt(Place::start));
    return places;
  }

  private static void collect(JsonNode node, byte[] body, int shift, List<Place> places) {
    if (node.path("class").asText().equals("PARAMETER")) {
      int start = node.path("query_location").asInt(-1);
      Matcher mark = MARK.matcher(start < 0 ? "" : text(body, start, body.length));
      String number = node.path("identifier").asText();
      if (!mark.lookingAt() || !number.matches("\\d{1,4}")) {
        throw wrong("named parameters are not supported; use ? or $1");
      }
      places.add(new Place(shift + start, shift + start + mark.end(), Integer.parseInt(number)));
    }
    for (JsonNode child : node) {
      collect(child, body, shift, places);
    }
  }
}
