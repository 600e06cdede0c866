package io.millrace.store.duckdb.rewrite;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.duckdb.plan.RollupMemory;
import io.millrace.store.duckdb.sandbox.Sandbox;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.Ast;
import io.millrace.store.duckdb.sql.SqlFunctions;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.duckdb.DuckDBConnection;

/**
 * Makes queries over the views faster without changing their results.
 *
 * <p>DuckDB executes a view's joins with {@code names} even if a query uses none of their columns,
 * and converts every address that it compares to text. So the name of a view in a query is
 * replaced, in place, by a SELECT of the columns that the query mentions and, if it filters by an
 * address, of the rows with this address. Names that are only grouped by are looked up at the end
 * ({@link LateNames}), rows that are only counted are not read ({@link RowCounts}), and sums come
 * from rollups if they have them ({@link RollupRewriter}). Each form is tried, the query as written
 * last: a form that DuckDB rejects costs time, never the result.
 */
public final class Rewriter {
  private static final Pattern WORD = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_]*");

  private final Map<String, FlowView> views;
  private final LateNames lateNames;
  private final RowCounts rowCounts;
  private final RollupRewriter rollups;
  private final SqlFunctions functions = new SqlFunctions();

  public Rewriter(Map<String, FlowView> views, RollupMemory memory) {
    this.views = views;
    lateNames = new LateNames(views);
    rowCounts = new RowCounts(views);
    rollups = new RollupRewriter(views, memory, functions);
  }

  /**
   * Forms of a query.
   *
   * @param sql the forms to try, the fastest first, the query as written last
   * @param source description of what the first form reads; empty for rows
   * @param files files that the first form reads; if it reads only rows, those of all forms
   */
  public record Forms(List<String> sql, String source, Files files) {
    /** Makes a connection read the files of a form. */
    public void read(int form, RowsView rows) throws SQLException {
      boolean isRolled = !source.isEmpty();
      if (form > 0 && !isRolled) {
        return; // the files of the first form
      }
      if (form > 0 || files.table.isEmpty()) {
        rows.readAll();
      } else {
        var unused = rows.read(files.table, files.wanted);
      }
    }
  }

  /**
   * Files that a query reads.
   *
   * @param table its only table; empty for all files of all tables
   * @param wanted selects files of the table
   */
  public record Files(String table, Predicate<RowExtent> wanted) {
    static final Files ALL = new Files("", file -> true);
  }

  /**
   * Rewrites a query.
   *
   * @param rowLimit maximum rows that will be read from the result
   * @param scan whether to avoid rollups
   */
  public Forms rewrite(
      ReadTransaction transaction, Sandbox.CheckedQuery query, long rowLimit, boolean scan)
      throws SQLException {
    String count = rowCounts.rewrite(transaction.rows(), query);
    if (count != null) {
      return new Forms(List.of(query.prefix() + count, query.sql()), "", Files.ALL);
    }
    Optional<RollupRewriter.RolledQuery> rolled =
        scan ? Optional.empty() : rollups.rewrite(transaction, query, rowLimit);
    if (rolled.isPresent()) {
      return new Forms(
          List.of(query.prefix() + rolled.get().sql(), query.sql()),
          rolled.get().source(),
          new Files(rolled.get().table(), rolled.get().files()));
    }
    List<String> forms = new ArrayList<>();
    Set<String> words = words(query.body());
    boolean onRequest = usesOnRequest(words);
    DuckDBConnection connection = transaction.connection();
    FlowView first = view(query.node().path("from_table"), query);
    TimeWindow times =
        first == null
            ? null
            : TimeWindow.of(connection, functions, first, query.node().path("where_clause"));
    String window = times == null ? "" : times.condition();
    String late = onRequest ? null : lateNames.rewrite(connection, query, rowLimit, window);
    if (late != null) {
      forms.add(query.prefix() + late);
    }
    NavigableMap<Integer, Splice> splices = new TreeMap<>();
    collect(
        query.node(), query, new Needs(words, usesAll(query.node()), onRequest), window, splices);
    if (!splices.isEmpty()) {
      forms.add(query.prefix() + spliced(query.body(), splices));
    }
    // The views in the database lack the columns on request.
    if (!onRequest || splices.isEmpty()) {
      forms.add(query.sql());
    }
    return new Forms(forms, "", times == null ? Files.ALL : files(query.node(), first, times));
  }

  /** Skips files outside of the time range if the query reads no other table. */
  private static Files files(JsonNode node, FlowView view, TimeWindow times) {
    return tables(node) == 1 && !isSampled(node)
        ? new Files(view.table(), file -> file.mayHave(times.from(), times.to()))
        : Files.ALL;
  }

  private static int tables(JsonNode node) {
    int tables = node.path("type").asText().equals("BASE_TABLE") ? 1 : 0;
    for (JsonNode child : node) {
      tables += tables(child);
    }
    return tables;
  }

  private static boolean isSampled(JsonNode select) {
    return !select.path("from_table").path("sample").isNull() || !select.path("sample").isNull();
  }

  private boolean usesOnRequest(Set<String> words) {
    return views.values().stream()
        .flatMap(view -> view.onRequest().stream())
        .anyMatch(column -> words.contains(column.name().toLowerCase(Locale.ROOT)));
  }

  private record Needs(Set<String> words, boolean all, boolean onRequest) {
    String select(FlowView view, String where) {
      return view.select(name -> all || words.contains(name), onRequest, where);
    }
  }

  private record Splice(int start, int end, String text) {}

  private static String spliced(String sql, NavigableMap<Integer, Splice> splices) {
    byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
    StringBuilder out = new StringBuilder();
    int end = bytes.length;
    for (Splice splice : splices.descendingMap().values()) {
      out.insert(0, splice.text + text(bytes, splice.end, end));
      end = splice.start;
    }
    return out.insert(0, text(bytes, 0, end)).toString();
  }

  private static String text(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  private void collect(
      JsonNode node,
      Sandbox.CheckedQuery query,
      Needs needs,
      String window,
      NavigableMap<Integer, Splice> splices) {
    JsonNode from = node.path("from_table");
    FlowView view = view(from, query);
    // A sample is taken before the WHERE clause applies.
    if (view != null && !isSampled(node) && node.path("type").asText().equals("SELECT_NODE")) {
      AddressFilter filter = AddressFilter.of(node, view);
      splice(from, filter.narrowed(), needs, filter.condition(window), query, splices);
    }
    for (JsonNode child : node) {
      FlowView other = view(child, query);
      if (other != null) {
        splice(child, other, needs, "", query, splices);
      }
      collect(child, query, needs, "", splices);
    }
  }

  /** View that a table reference names; null if it names something else. */
  private FlowView view(JsonNode node, Sandbox.CheckedQuery query) {
    if (!node.path("type").asText().equals("BASE_TABLE")
        || node.path("qualified_name").path("path").size() != 1) {
      return null;
    }
    String name = node.path("table_name").asText().toLowerCase(Locale.ROOT);
    return query.cteNames().contains(name) ? null : views.get(name);
  }

  private static void splice(
      JsonNode table,
      FlowView view,
      Needs needs,
      String where,
      Sandbox.CheckedQuery query,
      NavigableMap<Integer, Splice> splices) {
    byte[] bytes = query.body().getBytes(StandardCharsets.UTF_8);
    int start = table.path("query_location").asInt();
    int end = start + view.name().length();
    int whole = start + table.path("query_location_length").asInt(); // including the alias
    if (start < 0
        || whole > bytes.length
        || end > whole
        || !text(bytes, start, end).equalsIgnoreCase(view.name())
        || (end < whole && !Character.isWhitespace(bytes[end]))
        || !table.path("column_name_alias").isEmpty()) {
      return;
    }
    String select = needs.select(view, where);
    String alias =
        table.path("alias").asText().isEmpty() ? " AS " + Catalog.quoted(view.name()) : "";
    splices.putIfAbsent(start, new Splice(start, end, "(" + select + ")" + alias));
  }

  private static Set<String> words(String sql) {
    Set<String> words = new HashSet<>();
    Matcher matcher = WORD.matcher(sql);
    while (matcher.find()) {
      words.add(matcher.group().toLowerCase(Locale.ROOT));
    }
    return words;
  }

  private static boolean usesAll(JsonNode node) {
    return Ast.has(
        node,
        part ->
            Set.of("STAR", "SHOW_REF").contains(part.path("type").asText())
                || part.path("ref_type").asText().equals("NATURAL"));
  }
}
