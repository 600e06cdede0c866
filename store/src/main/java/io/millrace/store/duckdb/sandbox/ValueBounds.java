package io.millrace.store.duckdb.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.store.duckdb.sql.Ast;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.duckdb.DuckDBConnection;

/**
 * Keeps the values that a query makes small.
 *
 * <p>DuckDB looks at its memory limit and at an interruption between steps, each of which evaluates
 * the expressions of an operator for 2,048 rows; what a function makes within a step is neither
 * counted nor can it be stopped. So no value may be long before it is made. For each expression the
 * greatest length of its values is worked out from what is written, columns being taken for as long
 * as a DNS name; what might be longer than {@link #MAX_BYTES} is refused. Where the length is known
 * while the query runs only, a condition is put around it that ends the query: around the count
 * that {@code range}, {@code repeat} and their like are told, and around what {@code string_agg},
 * {@code list} and their like have collected.
 *
 * <p>It serves one query, by one thread.
 */
final class ValueBounds {
  /** Of what a function makes, for each row. */
  static final int MAX_BYTES = 64 << 10;

  /** Of all that the expressions of one SELECT make, for each row. */
  static final int MAX_ROW_BYTES = 256 << 10;

  /** Items of a list, or characters, whose number a function is told. */
  static final int MAX_ITEMS = 2_048;

  /** Characters that an aggregate collects, for each group. */
  static final int MAX_CHARACTERS = 32 << 10;

  /** Characters to be compared with each other, for each row. */
  private static final int MAX_PAIRS = 128 << 10;

  /** An aggregate over all rows has one value, not one for each of 2,048 groups. */
  private static final int ALL_ROWS = 256;

  /** How many expressions a SELECT may come to when the names of others stand for them. */
  private static final int MAX_NODES = 20_000;

  /** A DNS name is the longest text that comes from outside. */
  private static final Size COLUMN = new Size(256, 256, 1);

  private static final Size NUMBER = new Size(1, 16, 1);

  /** Steps of a recursion after which what is doubled in each is out of bounds. */
  private static final int RECURSIONS = 64;

  private static final String HELD = "millrace_held";
  private static final Pattern DIGITS = Pattern.compile("\\d+");
  private static final Pattern PLAIN_NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_]*");

  private static final Set<String> COLLECTING_TEXT =
      Set.of("string_agg", "group_concat", "listagg", "json_group_array", "json_group_object");
  private static final Set<String> COLLECTING =
      Set.of("list", "array_agg", "histogram", "histogram_exact");

  /** Their last argument, beyond so many others, is how many values they keep. */
  private static final Map<String, Integer> KEEPING =
      Map.of(
          "max",
          1,
          "min",
          1,
          "approx_top_k",
          1,
          "arg_max",
          2,
          "arg_min",
          2,
          "argmax",
          2,
          "argmin",
          2,
          "max_by",
          2,
          "min_by",
          2,
          "reservoir_quantile",
          2);

  /** What gives a number, a moment or a truth, whatever it is given. */
  private static final Set<String> NUMBERS =
      Set.of(
          ("+ - * / // % ** ^ @ abs round floor ceil ceiling trunc sign mod pow power sqrt ln log"
               + " log10 log2 exp length len strlen char_length character_length length_grapheme"
               + " list_count cardinality array_length json_array_length bit_length octet_length"
               + " ord ascii unicode hash sum avg mean count count_if countif count_star"
               + " count_distinct stddev stddev_pop stddev_samp var_pop var_samp variance median"
               + " quantile_cont quantile_disc quantile approx_quantile approx_count_distinct"
               + " entropy skewness kurtosis corr covar_pop covar_samp fsum favg regr_slope product"
               + " bit_count bool_and bool_or list_sum list_avg list_position array_position"
               + " list_contains array_contains list_has list_has_any list_has_all contains"
               + " starts_with ends_with prefix suffix position strpos instr regexp_matches"
               + " regexp_full_match ~~ !~~ ~~* !~~* like_escape ilike_escape ~ epoch epoch_ms"
               + " epoch_us epoch_ns date_part datepart date_diff datediff date_trunc datetrunc"
               + " date_bin time_bucket to_timestamp to_seconds to_minutes to_hours to_days"
               + " to_milliseconds to_microseconds extract year month day hour minute second"
               + " dayofweek dayofyear week now current_timestamp today random row_number rank"
               + " dense_rank ntile percent_rank cume_dist in_subnet ip ip_number isnan isinf md5"
               + " sha1 sha256")
              .split(" "));

  /** How often longer a result can be than what it is made of. */
  private static final Map<String, Integer> FACTORS =
      Map.ofEntries(
          Map.entry("bin", 8),
          Map.entry("to_binary", 8),
          Map.entry("hex", 2),
          Map.entry("to_hex", 2),
          Map.entry("base64", 2),
          Map.entry("to_base64", 2),
          Map.entry("url_encode", 3),
          Map.entry("encode", 2),
          Map.entry("to_json", 6),
          Map.entry("json_quote", 6),
          Map.entry("json_pretty", 16),
          Map.entry("strftime", 32),
          Map.entry("regexp_escape", 2),
          Map.entry("nfc_normalize", 3),
          Map.entry("upper", 2),
          Map.entry("lower", 2));

  private final DuckDBConnection connection;

  /** Conditions put around counts. */
  private final Set<JsonNode> guards = Collections.newSetFromMap(new IdentityHashMap<>());

  /** What expressions of the query are called, and how long they get. */
  private Map<String, Size> names = new HashMap<>();

  /** Of those that have no name, or another than is written beside them. */
  private Size unnamed = COLUMN;

  private boolean isGuarded;
  private double rowBytes;

  ValueBounds(DuckDBConnection connection) {
    this.connection = connection;
  }

  /**
   * How long the values of an expression get.
   *
   * @param items of a list; characters of a text
   * @param bytes of the whole
   * @param nodes expressions that it comes to
   */
  private record Size(double items, double bytes, double nodes) {
    Size and(Size other) {
      return new Size(items + other.items, bytes + other.bytes, nodes + other.nodes);
    }

    Size or(Size other) {
      return new Size(
          Math.max(items, other.items), Math.max(bytes, other.bytes), nodes + other.nodes);
    }

    Size times(double factor) {
      return new Size(items * factor, bytes * factor, nodes);
    }

    Size of(Size made) {
      return new Size(made.items, made.bytes, nodes + 1);
    }

    /** One of the items. */
    Size item() {
      return new Size(bytes / Math.max(1, items), Math.max(16, bytes / Math.max(1, items)), 1);
    }
  }

  /**
   * The query with conditions where they are needed; the same node where they are not.
   *
   * @throws io.millrace.store.QueryException if its values might get too long
   */
  JsonNode bounded(JsonNode query) throws SQLException {
    JsonNode guarded = guarded(query.deepCopy(), isOneRow(query));
    int rounds = isRecursive(guarded) ? RECURSIONS : depth(guarded);
    for (int i = 0; i < rounds; i++) {
      Map<String, Size> before = Map.copyOf(names);
      Size unnamedBefore = unnamed;
      query(guarded, List.of());
      if (before.equals(names) && unnamedBefore.equals(unnamed)) {
        break;
      }
    }
    return isGuarded ? guarded : query;
  }

  // Conditions

  /** Whether it is an aggregate over all rows. */
  private static boolean isOneRow(JsonNode query) {
    return query.path("type").asText().equals("SELECT_NODE")
        && query.path("group_expressions").isEmpty()
        && query.path("group_sets").isEmpty()
        && query.path("from_table").path("type").asText().equals("BASE_TABLE");
  }

  /**
   * @param isOneRow whether aggregates right below have one value in all
   */
  private JsonNode guarded(JsonNode node, boolean isOneRow) throws SQLException {
    if (node instanceof ArrayNode list) {
      for (int i = 0; i < list.size(); i++) {
        list.set(i, guarded(list.get(i), isOneRow));
      }
    }
    if (!(node instanceof ObjectNode object)) {
      return node;
    }
    boolean below = isOneRow && !object.has("subquery") && !object.has("cte_map");
    boolean isSelect = object.path("type").asText().equals("SELECT_NODE");
    List<String> fields = new ArrayList<>();
    object.fieldNames().forEachRemaining(fields::add);
    for (String field : fields) {
      if (isSelect && field.equals("select_list")) {
        guardedList((ArrayNode) object.get(field), isOneRow);
      } else {
        object.set(field, guarded(object.get(field), below && !field.equals("from_table")));
      }
    }
    return guardedCall(object, isOneRow);
  }

  /** What gets a condition around it is called as before. */
  private void guardedList(ArrayNode list, boolean isOneRow) throws SQLException {
    for (int i = 0; i < list.size(); i++) {
      JsonNode written = list.get(i).deepCopy();
      JsonNode guarded = guarded(list.get(i), isOneRow);
      if (!guarded.equals(written) && guarded.path("alias").asText().isEmpty()) {
        ((ObjectNode) guarded).put("alias", Ast.expression(connection, written));
      }
      list.set(i, guarded);
    }
  }

  private JsonNode guardedCall(ObjectNode call, boolean isOneRow) throws SQLException {
    String name = Ast.function(call);
    if (COLLECTING.contains(name) || COLLECTING_TEXT.contains(name)) {
      boolean text = COLLECTING_TEXT.contains(name);
      int most = (text ? MAX_CHARACTERS : MAX_ITEMS) * (isOneRow ? ALL_ROWS : 1);
      String length = name.startsWith("histogram") ? "cardinality" : "len";
      String alias = call.path("alias").asText();
      call.put("alias", "");
      return held(
              "CASE WHEN %1$s(%2$s) > %3$d THEN error('%4$s: more than %3$d %5$s in one value; %6$s') ELSE %2$s END"
                  .formatted(
                      length,
                      HELD,
                      most,
                      name,
                      text ? "characters" : "items",
                      "ask for fewer, or for the rows themselves"),
              call)
          .put("alias", alias);
    }
    int at = countAt(name, call.path("arguments").size());
    if (at >= 0 && at < call.path("arguments").size()) {
      ObjectNode argument = (ObjectNode) call.path("arguments").get(at);
      JsonNode count = argument.path("expression");
      if (constant(count) == null && !hasGuard(count)) {
        ObjectNode guard =
            held(
                "CASE WHEN %1$s > %2$d THEN error('%3$s: more than %2$d') ELSE %1$s END"
                    .formatted(HELD, MAX_ITEMS, name),
                count);
        guards.add(guard);
        argument.set("expression", guard);
      }
    }
    return call;
  }

  private ObjectNode held(String template, JsonNode value) throws SQLException {
    isGuarded = true;
    return (ObjectNode) replaced(Ast.expression(connection, template), value);
  }

  private static JsonNode replaced(JsonNode node, JsonNode value) {
    if (node.path("column_names").path(0).asText().equals(HELD)) {
      return value.deepCopy();
    }
    if (node instanceof ArrayNode list) {
      for (int i = 0; i < list.size(); i++) {
        list.set(i, replaced(list.get(i), value));
      }
    } else if (node instanceof ObjectNode object) {
      List<String> fields = new ArrayList<>();
      object.fieldNames().forEachRemaining(fields::add);
      fields.forEach(field -> object.set(field, replaced(object.get(field), value)));
    }
    return node;
  }

  private boolean hasGuard(JsonNode node) {
    if (guards.contains(node)) {
      return true;
    }
    for (JsonNode child : node) {
      if (hasGuard(child)) {
        return true;
      }
    }
    return false;
  }

  /** Where a function is told how much to make; −1 if it is not. */
  private static int countAt(String name, int arguments) {
    return switch (name) {
      case "repeat", "lpad", "rpad", "list_resize", "array_resize", "bitstring" -> 1;
      case "range", "generate_series" -> arguments == 1 ? 0 : -1;
      default -> -1;
    };
  }

  /** A whole number that is written down, or calculated from such; null if it is something else. */
  private static Double constant(JsonNode node) {
    if (node.path("class").asText().equals("CONSTANT")
        && node.path("literal").path("kind").asText().equals("INTEGER")) {
      return Double.valueOf(node.path("literal").path("text").asText());
    }
    JsonNode arguments = node.path("arguments");
    String name = Ast.function(node);
    if (arguments.size() != 2 || !Set.of("+", "-", "*").contains(name)) {
      return null;
    }
    Double left = constant(arguments.path(0).path("expression"));
    Double right = constant(arguments.path(1).path("expression"));
    if (left == null || right == null) {
      return null;
    }
    return switch (name) {
      case "+" -> left + right;
      case "-" -> left - right;
      default -> left * right;
    };
  }

  // Lengths

  private static boolean isRecursive(JsonNode node) {
    return node.path("type").asText().equals("RECURSIVE_CTE_NODE") || any(node);
  }

  private static boolean any(JsonNode node) {
    for (JsonNode child : node) {
      if (isRecursive(child)) {
        return true;
      }
    }
    return false;
  }

  /** Through how many SELECTs a value may go at most. */
  private static int depth(JsonNode node) {
    int deepest = 0;
    int named = 0;
    for (JsonNode child : node) {
      deepest = Math.max(deepest, depth(child));
    }
    for (JsonNode entry : node.path("cte_map").path("map")) {
      named += depth(entry);
    }
    return Math.min(
        RECURSIONS, deepest + named + (node.path("type").asText().equals("SELECT_NODE") ? 1 : 0));
  }

  /**
   * Looks through a query.
   *
   * @param called the names of its columns, where they are given from outside
   * @return its longest column
   */
  private Size query(JsonNode node, List<String> called) {
    for (JsonNode entry : node.path("cte_map").path("map")) {
      JsonNode value = entry.path("value");
      query(value.path("query_node"), texts(value.path("aliases")));
    }
    Size longest = NUMBER;
    List<String> columns = called.isEmpty() ? columns(node) : called;
    for (JsonNode part : parts(node)) {
      longest = longest.or(query(part, columns));
    }
    from(node.path("from_table"));
    if (!node.has("select_list")) {
      return longest;
    }
    rowBytes = 0;
    Map<String, Size> around = names;
    names = new HashMap<>(names); // of nodes that names in this SELECT stand for
    int at = 0;
    for (JsonNode expression : node.path("select_list")) {
      Size size = size(expression, Map.of());
      longest = longest.or(size);
      String alias = expression.path("alias").asText();
      String name = at < called.size() ? called.get(at) : alias;
      if (!name.isEmpty()) {
        name(names, name, size);
      }
      if (!alias.isEmpty() && !alias.equals(name)) {
        name(names, alias, size);
      }
      if (name.isEmpty() && !expression.path("type").asText().equals("COLUMN_REF")) {
        unnamed = unnamed.or(size);
      }
      at++;
    }
    for (String rest :
        List.of("where_clause", "group_expressions", "having", "qualify", "modifiers")) {
      sizes(node.path(rest), Map.of());
    }
    names.forEach((name, size) -> name(around, name, new Size(size.items, size.bytes, 1)));
    names = around;
    unnamed = new Size(unnamed.items, unnamed.bytes, 1);
    return new Size(longest.items, longest.bytes, 1);
  }

  private static void name(Map<String, Size> names, String name, Size size) {
    Size before = names.getOrDefault(name.toLowerCase(Locale.ROOT), NUMBER);
    names.put(
        name.toLowerCase(Locale.ROOT),
        new Size(
            Math.max(size.items, before.items),
            Math.max(size.bytes, before.bytes),
            Math.max(size.nodes, before.nodes)));
  }

  /** The queries that UNION or a recursion puts together. */
  private static List<JsonNode> parts(JsonNode query) {
    List<JsonNode> parts = new ArrayList<>();
    query.path("children").forEach(parts::add);
    for (String side : List.of("left", "right")) {
      if (query.path(side).isObject()) {
        parts.add(query.path(side));
      }
    }
    return parts;
  }

  /** What the columns of a query are called by itself. */
  private static List<String> columns(JsonNode query) {
    List<JsonNode> parts = parts(query);
    if (!parts.isEmpty()) {
      return columns(parts.get(0));
    }
    List<String> columns = new ArrayList<>();
    for (JsonNode expression : query.path("select_list")) {
      String alias = expression.path("alias").asText();
      JsonNode column = expression.path("column_names");
      columns.add(alias.isEmpty() ? column.path(column.size() - 1).asText() : alias);
    }
    return columns;
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  /** Looks through what a SELECT reads. */
  private void from(JsonNode table) {
    if (table.path("type").asText().equals("SUBQUERY")) {
      query(table.path("subquery").path("node"), texts(table.path("column_name_alias")));
      return;
    }
    if (table.path("type").asText().equals("TABLE_FUNCTION")) {
      Size item = sizes(table.path("function").path("arguments"), Map.of());
      unnamed = unnamed.or(item);
      name(names, "unnest", item);
      texts(table.path("column_name_alias")).forEach(name -> name(names, name, item));
      name(names, table.path("alias").asText(), item);
      return;
    }
    if (table.path("class").isTextual()) {
      size(table, Map.of());
      return;
    }
    if (table.path("type").asText().equals("EXPRESSION_LIST")) {
      Size value = sizes(table.path("values"), Map.of());
      unnamed = unnamed.or(value);
      texts(table.path("column_name_alias")).forEach(name -> name(names, name, value));
      return;
    }
    table.forEach(this::from);
  }

  /** What all expressions below make together. */
  private Size sizes(JsonNode node, Map<String, Size> parameters) {
    if (node.path("class").isTextual()) {
      return size(node, parameters);
    }
    Size all = new Size(0, 0, 0);
    for (JsonNode child : node) {
      all = all.and(sizes(child, parameters));
    }
    return all;
  }

  private Size below(JsonNode node, Map<String, Size> parameters) {
    Size all = new Size(0, 0, 0);
    for (JsonNode child : node) {
      all = all.and(sizes(child, parameters));
    }
    return all;
  }

  private Size size(JsonNode node, Map<String, Size> parameters) {
    Size size = made(node, parameters);
    if (size.nodes > MAX_NODES) {
      throw Sandbox.refused("names that stand for more than " + MAX_NODES + " expressions");
    }
    return size;
  }

  private Size made(JsonNode node, Map<String, Size> parameters) {
    return switch (node.path("class").asText()) {
      case "CONSTANT" -> {
        int length = node.path("literal").path("text").asText().length();
        yield new Size(length, length, 1);
      }
      case "COLUMN_REF" -> column(texts(node.path("column_names")), parameters);
      case "FUNCTION" -> counted(node, function(node, parameters));
      case "WINDOW" -> {
        String name = node.path("function_name").asText().toLowerCase(Locale.ROOT);
        if (COLLECTING.contains(name) || COLLECTING_TEXT.contains(name)) {
          throw Sandbox.refused(name + " with OVER: its values would take the square of the rows");
        }
        yield below(node, parameters);
      }
      case "SUBQUERY" -> {
        double outer = rowBytes;
        Size asked = query(node.path("subquery").path("node"), List.of());
        rowBytes = outer;
        Size compared = below(node.path("child"), parameters);
        yield node.path("subquery_type").asText().equals("SCALAR") ? asked : compared.of(NUMBER);
      }
      case "CASE" -> {
        Size either = new Size(0, 0, 1);
        for (JsonNode check : node.path("case_checks")) {
          Size when = size(check.path("when_expr"), parameters).of(NUMBER);
          either = either.or(when).or(size(check.path("then_expr"), parameters));
        }
        yield either.or(sizes(node.path("else_expr"), parameters));
      }
      case "CAST" -> counted(node, below(node, parameters).times(2).and(NUMBER));
      case "COMPARISON", "CONJUNCTION", "BETWEEN" -> below(node, parameters).of(NUMBER);
      case "OPERATOR" -> {
        Size operands = below(node, parameters);
        String type = node.path("type").asText();
        yield type.contains("COMPARE") || type.contains("NOT") || type.contains("NULL")
            ? operands.of(NUMBER)
            : operands;
      }
      case "STAR" -> COLUMN;
      case "TYPE" -> type(node);
      default -> below(node, parameters);
    };
  }

  /** An array of fixed size has its items also where it is NULL. */
  private static Size type(JsonNode node) {
    Size item = NUMBER;
    for (JsonNode inner : node.path("children")) {
      Double length = constant(inner);
      if (length != null && node.path("type_name").asText().equalsIgnoreCase("array")) {
        item = item.times(length);
      } else if (inner.path("class").asText().equals("TYPE")) {
        item = item.or(type(inner));
      }
    }
    if (item.items > MAX_ITEMS) {
      throw Sandbox.refused("an array of more than " + MAX_ITEMS + " items");
    }
    return item;
  }

  private Size counted(JsonNode node, Size made) {
    rowBytes += made.bytes > NUMBER.bytes ? made.bytes : 0;
    if (made.bytes > MAX_BYTES) {
      throw tooLong(node, "values of up to %.0f bytes".formatted(made.bytes), MAX_BYTES);
    }
    if (rowBytes > MAX_ROW_BYTES) {
      throw tooLong(
          node, "with what stands before it %.0f bytes".formatted(rowBytes), MAX_ROW_BYTES);
    }
    return made;
  }

  private static RuntimeException tooLong(JsonNode node, String made, int most) {
    String name = node.path("function_name").asText("CAST");
    return Sandbox.refused(
        name + " might make " + made + " for each row, and at most " + most + " may be made");
  }

  private Size column(List<String> path, Map<String, Size> parameters) {
    Size parameter = parameters.get(path.get(0).toLowerCase(Locale.ROOT));
    if (parameter != null) {
      return parameter;
    }
    String name = path.get(path.size() - 1).toLowerCase(Locale.ROOT);
    Size known = names.get(name);
    if (known == null) {
      return PLAIN_NAME.matcher(name).matches() ? COLUMN : unnamed;
    }
    return new Size(
        Math.max(known.items, COLUMN.items), Math.max(known.bytes, COLUMN.bytes), known.nodes);
  }

  private Size function(JsonNode call, Map<String, Size> parameters) {
    String name = Ast.function(call);
    JsonNode arguments = call.path("arguments");
    List<JsonNode> given = new ArrayList<>();
    arguments.forEach(argument -> given.add(argument.path("expression")));
    // One argument with an arrow is what stands behind it in a JSON text.
    if (given.size() > 1 && given.get(1).path("class").asText().equals("LAMBDA")) {
      return lambda(call, given, parameters);
    }
    List<Size> sizes = new ArrayList<>();
    given.forEach(one -> sizes.add(size(one, parameters)));
    Size all = sizes.stream().reduce(new Size(0, 0, 1), Size::and);
    sizes(call.path("filter"), parameters);
    sizes(call.path("order_bys"), parameters);
    if (KEEPING.containsKey(name) && given.size() > KEEPING.get(name)) {
      double kept = count(call, given.get(KEEPING.get(name)));
      return all.of(new Size(kept, kept * sizes.get(0).bytes, 1));
    }
    Size made =
        switch (name) {
          case "range", "generate_series" -> listed(call, given);
          case "repeat" -> sizes.get(0).times(count(call, given.get(1)));
          case "lpad", "rpad", "bitstring" -> {
            double count = count(call, given.get(1));
            yield new Size(count, 4 * count, 1);
          }
          case "list_resize", "array_resize" -> {
            double count = count(call, given.get(1));
            double item = given.size() > 2 ? sizes.get(2).bytes : sizes.get(0).item().bytes;
            yield new Size(count, count * Math.max(8, item), 1);
          }
          case "replace", "regexp_replace" ->
              given.size() < 3 ? all : sizes.get(0).times(Math.max(1, sizes.get(2).bytes));
          case "array_to_string", "list_to_string", "list_string_agg", "array_string_agg" ->
              joined(sizes, all, 1);
          case "concat_ws" -> all.and(sizes.get(0).times(given.size()));
          case "string_split",
              "str_split",
              "split",
              "string_to_array",
              "string_split_regex",
              "str_split_regex",
              "regexp_split_to_array",
              "regexp_extract_all" ->
              new Size(sizes.get(0).bytes, 16 * sizes.get(0).bytes, 1);
          case "list_select", "array_select" ->
              given.size() < 2 ? all : sizes.get(0).times(sizes.get(1).items);
          case "levenshtein",
              "editdist3",
              "damerau_levenshtein",
              "jaro_similarity",
              "jaro_winkler_similarity" -> {
            if (given.size() == 2 && sizes.get(0).bytes * sizes.get(1).bytes > MAX_PAIRS) {
              throw tooLong(call, "more comparisons of characters", MAX_PAIRS);
            }
            yield NUMBER;
          }
          case "printf", "format" -> formatted(call, given, all, sizes);
          case "list_aggregate", "list_aggr", "array_aggregate", "array_aggr", "aggregate" -> {
            if (given.size() < 2 || !isText(given.get(1))) {
              throw Sandbox.refused("the function " + name + " without the name of an aggregate");
            }
            Sandbox.checkFunction(given.get(1).path("literal").path("text").asText());
            yield joined(sizes, all, 2);
          }
          default -> {
            if (COLLECTING.contains(name)) {
              yield new Size(MAX_ITEMS, 12 * MAX_ITEMS, 1);
            }
            if (COLLECTING_TEXT.contains(name)) {
              yield new Size(MAX_CHARACTERS, MAX_CHARACTERS, 1);
            }
            yield NUMBERS.contains(name)
                ? NUMBER
                : all.times(FACTORS.getOrDefault(name, 1)).and(NUMBER);
          }
        };
    return all.of(made);
  }

  private static boolean isText(JsonNode node) {
    return node.path("literal").path("kind").asText().equals("STRING");
  }

  /** How much a function is told to make. */
  private double count(JsonNode call, JsonNode count) {
    if (guards.contains(count)) {
      return MAX_ITEMS;
    }
    Double constant = constant(count);
    if (constant == null) {
      throw Sandbox.refused(
          call.path("function_name").asText() + " of a number that is not written down");
    }
    if (constant > MAX_ITEMS) {
      throw tooLong(call, "%.0f items or characters".formatted(constant), MAX_ITEMS);
    }
    return Math.max(0, constant);
  }

  private Size listed(JsonNode call, List<JsonNode> given) {
    double items;
    if (given.size() == 1) {
      items = count(call, given.get(0));
    } else {
      Double from = constant(given.get(0));
      Double to = given.size() < 2 ? null : constant(given.get(1));
      Double step = given.size() < 3 ? Double.valueOf(1) : constant(given.get(2));
      if (from == null || to == null || step == null || step == 0) {
        throw Sandbox.refused(
            "the list "
                + call.path("function_name").asText()
                + " of numbers that are not written down; as a table it may be of any: FROM "
                + call.path("function_name").asText()
                + "(…)");
      }
      items = Math.max(0, (to - from) / step) + 1;
      if (items > MAX_ITEMS + 1) {
        throw tooLong(call, "%.0f items".formatted(items), MAX_ITEMS);
      }
    }
    return new Size(items, 8 * items, 1);
  }

  /** Widths stand in the format. */
  private static Size formatted(JsonNode call, List<JsonNode> given, Size all, List<Size> sizes) {
    String format = given.isEmpty() ? "" : given.get(0).path("literal").path("text").asText();
    if (given.isEmpty()
        || !isText(given.get(0))
        || format.matches("(?s).*(%[^a-zA-Z%]*\\*|\\{[^}]*\\{).*")) {
      throw Sandbox.refused(
          call.path("function_name").asText() + " with a format or width that is not written down");
    }
    double width = 0;
    Matcher digits = DIGITS.matcher(format);
    while (digits.find()) {
      width += Double.parseDouble(digits.group());
    }
    // Each place may name the same argument.
    double places = format.chars().filter(c -> c == '%' || c == '{').count();
    double longest = sizes.stream().skip(1).mapToDouble(Size::bytes).max().orElse(0);
    return all.and(new Size(width, 4 * width + places * longest, 1)).and(NUMBER);
  }

  /** Items with a text between two. */
  private static Size joined(List<Size> sizes, Size all, int separator) {
    return sizes.size() <= separator
        ? all
        : all.and(sizes.get(separator).times(sizes.get(0).items)).times(2);
  }

  /** A function that does something with each item of a list. */
  private Size lambda(JsonNode call, List<JsonNode> given, Map<String, Size> parameters) {
    Size list = size(given.get(0), parameters);
    JsonNode lambda = given.get(1);
    List<String> named = parameters(lambda.path("lhs"));
    String name = Ast.function(call);
    boolean reduces = name.endsWith("reduce");
    Size start = reduces && given.size() > 2 ? size(given.get(2), parameters) : list.item();
    double outer = rowBytes;
    Size body = body(lambda, named, list, start, parameters);
    double eachBytes = rowBytes - outer;
    if (reduces) {
      Size again = body(lambda, named, list, body, parameters);
      double grows = Math.max(0, again.bytes - body.bytes);
      boolean doubles = grows > 1 + Math.max(0, body.bytes - start.bytes) + 16;
      body =
          new Size(
              1, doubles ? Double.POSITIVE_INFINITY : body.bytes + grows * list.items, body.nodes);
      eachBytes = body.bytes;
    }
    rowBytes = outer;
    Size each = new Size(list.items, list.items * Math.max(eachBytes, body.bytes), 1);
    counted(call, each); // all of it is there at once
    return list.and(body).of(reduces ? body : name.endsWith("filter") ? list : each);
  }

  private Size body(
      JsonNode lambda, List<String> named, Size list, Size first, Map<String, Size> parameters) {
    Map<String, Size> all = new HashMap<>(parameters);
    for (int i = 0; i < named.size(); i++) {
      all.put(named.get(i), i == 0 ? first : i == 1 ? list.item().or(NUMBER) : NUMBER);
    }
    return size(lambda.path("expr"), all);
  }

  private static List<String> parameters(JsonNode left) {
    List<String> names = new ArrayList<>();
    if (left.has("column_names")) {
      names.add(left.path("column_names").path(0).asText().toLowerCase(Locale.ROOT));
    }
    for (JsonNode argument : left.path("arguments")) {
      names.addAll(parameters(argument.path("expression")));
    }
    return names;
  }
}
