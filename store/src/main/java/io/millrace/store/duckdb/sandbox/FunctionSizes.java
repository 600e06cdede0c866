package io.millrace.store.duckdb.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.duckdb.sql.Ast;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Maximum sizes of the results of functions, given those of their arguments. */
final class FunctionSizes {
  static final int MAX_ITEMS = 2_048;

  private static final int MAX_TOP = 100;

  static final int MAX_CHARACTERS = 32 << 10;

  private static final int MAX_PAIRS = 128 << 10;

  private static final Pattern DIGITS = Pattern.compile("\\d+");

  static final Set<String> COLLECTING_TEXT =
      Set.of("string_agg", "group_concat", "listagg", "json_group_array", "json_group_object");
  private static final Set<String> COLLECTING =
      Set.of("list", "array_agg", "histogram", "histogram_exact");

  /** Aggregates whose states no limit counts; with OVER they have one for each range of rows. */
  private static final Set<String> UNCOUNTED = Set.of("approx_top_k", "entropy");

  private static final Map<String, Integer> KEEPING =
      Map.ofEntries(
          Map.entry("max", 1),
          Map.entry("min", 1),
          Map.entry("approx_top_k", 1),
          Map.entry("arg_max", 2),
          Map.entry("arg_min", 2),
          Map.entry("arg_max_null", 2),
          Map.entry("arg_min_null", 2),
          Map.entry("arg_max_nulls_last", 2),
          Map.entry("arg_min_nulls_last", 2),
          Map.entry("argmax", 2),
          Map.entry("argmin", 2),
          Map.entry("max_by", 2),
          Map.entry("min_by", 2),
          Map.entry("lttb", 2));

  private static final Set<String> TEXTS = Set.of("||", "concat", "concat_ws", "format", "printf");

  private static final Pattern FIXED_ARRAY = Pattern.compile("\\[\\s*\\d");

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
          Map.entry("array_to_json", 6),
          Map.entry("row_to_json", 6),
          Map.entry("json_array", 6),
          Map.entry("json_object", 6),
          Map.entry("translate", 4),
          Map.entry("json_quote", 6),
          Map.entry("strftime", 32),
          Map.entry("regexp_escape", 2),
          Map.entry("nfc_normalize", 3),
          Map.entry("upper", 2),
          Map.entry("lower", 2));

  private final Predicate<JsonNode> isGuard;

  FunctionSizes(Predicate<JsonNode> isGuard) {
    this.isGuard = isGuard;
  }

  /** Index of the argument with the size of a function's result; −1 if there is none. */
  static int countAt(String name, int arguments) {
    return switch (name) {
      case "repeat", "lpad", "rpad", "list_resize", "array_resize", "bitstring" -> 1;
      case "range", "generate_series" -> arguments == 1 ? 0 : -1;
      default -> -1;
    };
  }

  /** Value of a literal integer, or of an expression of such; null for anything else. */
  static Double constant(JsonNode node) {
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

  static boolean isLongWithOver(String name) {
    return isCollecting(name) || UNCOUNTED.contains(name);
  }

  static boolean isCollecting(String name) {
    return COLLECTING.contains(name) || COLLECTING_TEXT.contains(name);
  }

  /**
   * Maximum size of the result of a call.
   *
   * @param given arguments, of these sizes
   * @param all size of all arguments together
   * @throws io.millrace.store.QueryException if no literal bounds the size
   */
  ValueSize made(
      String name, JsonNode call, List<JsonNode> given, List<ValueSize> sizes, ValueSize all) {
    if (given.isEmpty() || countAt(name, given.size()) >= given.size()) {
      return all.and(ValueSize.NUMBER); // too few arguments, which DuckDB reports
    }
    Double kept = kept(name, call, given, 0);
    if (kept != null) {
      return new ValueSize(kept, kept * sizes.get(0).bytes(), 1);
    }
    return switch (name) {
      case "range", "generate_series" -> listed(call, given);
      case "repeat" -> sizes.get(0).times(count(call, given.get(1)));
      case "lpad", "rpad", "bitstring" -> {
        double count = count(call, given.get(1));
        yield new ValueSize(count, 4 * count, 1);
      }
      case "list_resize", "array_resize" -> {
        double count = count(call, given.get(1));
        double item = given.size() > 2 ? sizes.get(2).bytes() : sizes.get(0).item().bytes();
        yield new ValueSize(count, count * Math.max(8, item), 1);
      }
      case "replace", "regexp_replace" ->
          given.size() < 3 ? all : sizes.get(0).times(Math.max(1, sizes.get(2).bytes()));
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
          new ValueSize(sizes.get(0).bytes(), 16 * sizes.get(0).bytes(), 1);
      case "list_select", "array_select" ->
          given.size() < 2 ? all : sizes.get(0).times(sizes.get(1).items());
      case "levenshtein",
          "editdist3",
          "damerau_levenshtein",
          "jaro_similarity",
          "jaro_winkler_similarity" -> {
        if (given.size() == 2 && sizes.get(0).bytes() * sizes.get(1).bytes() > MAX_PAIRS) {
          throw tooLong(call, "too many comparisons of characters", MAX_PAIRS);
        }
        yield ValueSize.NUMBER;
      }
      case "printf", "format" -> formatted(call, given, all, sizes);
      case "list_aggregate", "list_aggr", "array_aggregate", "array_aggr", "aggregate" -> {
        if (given.size() < 2 || !isText(given.get(1))) {
          throw Sandbox.rejected(
              "the function " + name + " without a literal name of an aggregate");
        }
        String aggregate = given.get(1).path("literal").path("text").asText();
        if (!AllowedSql.isAggregate(aggregate)) {
          throw Sandbox.unlisted("the aggregate " + aggregate + " in " + name);
        }
        Double many = kept(aggregate.toLowerCase(Locale.ROOT), call, given, 1);
        yield many == null
            ? joined(sizes, all, 2)
            : new ValueSize(many, many * Math.max(16, sizes.get(0).item().bytes()), 1);
      }
      case "list_zip", "array_zip" -> {
        double items = sizes.stream().mapToDouble(ValueSize::items).max().orElse(0);
        yield new ValueSize(items, items * given.size() * 16, 1).and(all);
      }
      case "json_extract",
          "json_extract_string",
          "json_extract_path",
          "json_extract_path_text",
          "json_value",
          "->",
          "->>" ->
          given.size() < 2 ? all : extracted(given.get(1), sizes.get(0), sizes.get(1));
      case "json_transform", "json_transform_strict", "from_json", "from_json_strict" -> {
        if (given.size() < 2
            || !isText(given.get(1))
            || FIXED_ARRAY.matcher(given.get(1).path("literal").path("text").asText()).find()) {
          throw Sandbox.rejected(
              name + " with a structure that is not a literal, or has an array of fixed size");
        }
        yield all;
      }
      default -> {
        if (name.startsWith("histogram") && given.size() > 1) {
          requireFewBins(call, given.get(1), sizes.get(1));
        }
        if (COLLECTING.contains(name)) {
          yield new ValueSize(MAX_ITEMS, 12 * MAX_ITEMS, 1);
        }
        if (COLLECTING_TEXT.contains(name)) {
          yield new ValueSize(MAX_CHARACTERS, MAX_CHARACTERS, 1);
        }
        yield NUMBERS.contains(name)
            ? ValueSize.NUMBER
            : all.times(FACTORS.getOrDefault(name, 1)).and(ValueSize.NUMBER);
      }
    };
  }

  Double kept(String name, JsonNode call, List<JsonNode> given, int shift) {
    Integer at = KEEPING.get(name);
    if (at == null || given.size() <= at + shift) {
      return null;
    }
    double kept = count(call, given.get(at + shift));
    if (name.equals("approx_top_k") && kept > MAX_TOP) {
      throw tooLong(call, "%.0f items".formatted(kept), MAX_TOP);
    }
    return kept;
  }

  /** Each group has counts for all bins, which no limit counts. */
  private static void requireFewBins(JsonNode call, JsonNode bins, ValueSize size) {
    double count =
        Ast.function(bins).equals("list_value") ? bins.path("arguments").size() : size.items();
    if (count > MAX_TOP) {
      throw tooLong(call, "%.0f bins".formatted(count), MAX_TOP);
    }
  }

  ValueSize extracted(JsonNode path, ValueSize from, ValueSize paths) {
    boolean isOne =
        path.path("class").asText().matches("CONSTANT|COLUMN_REF")
            || TEXTS.contains(Ast.function(path));
    double times =
        Ast.function(path).equals("list_value")
            ? path.path("arguments").size()
            : isOne ? 1 : paths.items();
    return from.times(Math.max(1, times)).and(ValueSize.NUMBER);
  }

  static RuntimeException tooLong(JsonNode node, String made, int most) {
    String name = node.path("function_name").asText("CAST");
    return Sandbox.rejected(name + ": " + made + " for each row, maximum " + most);
  }

  private static boolean isText(JsonNode node) {
    return node.path("literal").path("kind").asText().equals("STRING");
  }

  private double count(JsonNode call, JsonNode count) {
    if (isGuard.test(count)) {
      return MAX_ITEMS;
    }
    Double constant = constant(count);
    if (constant == null) {
      throw Sandbox.rejected(
          call.path("function_name").asText() + " with a number that is not a literal");
    }
    if (constant > MAX_ITEMS) {
      throw tooLong(call, "%.0f items or characters".formatted(constant), MAX_ITEMS);
    }
    return Math.max(0, constant);
  }

  private ValueSize listed(JsonNode call, List<JsonNode> given) {
    double items;
    if (given.size() == 1) {
      items = count(call, given.get(0));
    } else {
      Double from = constant(given.get(0));
      Double to = given.size() < 2 ? null : constant(given.get(1));
      Double step = given.size() < 3 ? Double.valueOf(1) : constant(given.get(2));
      if (from == null || to == null || step == null || step == 0) {
        throw Sandbox.rejected(
            "the list %s with bounds that are not literals; use it as a table: FROM %s(…)"
                .formatted(
                    call.path("function_name").asText(), call.path("function_name").asText()));
      }
      items = Math.max(0, (to - from) / step) + 1;
      if (items > MAX_ITEMS + 1) {
        throw tooLong(call, "%.0f items".formatted(items), MAX_ITEMS);
      }
    }
    return new ValueSize(items, 8 * items, 1);
  }

  private static ValueSize formatted(
      JsonNode call, List<JsonNode> given, ValueSize all, List<ValueSize> sizes) {
    String format = given.isEmpty() ? "" : given.get(0).path("literal").path("text").asText();
    if (given.isEmpty()
        || !isText(given.get(0))
        || format.matches("(?s).*(%[^a-zA-Z%]*\\*|\\{[^}]*\\{).*")) {
      throw Sandbox.rejected(
          call.path("function_name").asText() + " with a format or width that is not a literal");
    }
    double width = 0;
    Matcher digits = DIGITS.matcher(format);
    while (digits.find()) {
      width += Double.parseDouble(digits.group());
    }
    // Each placeholder may name the same argument, so the longest one counts for all.
    double places = format.chars().filter(c -> c == '%' || c == '{').count();
    double longest = sizes.stream().skip(1).mapToDouble(ValueSize::bytes).max().orElse(0);
    return all.and(new ValueSize(width, 4 * width + places * longest, 1)).and(ValueSize.NUMBER);
  }

  private static ValueSize joined(List<ValueSize> sizes, ValueSize all, int separator) {
    return sizes.size() <= separator
        ? all
        : all.and(sizes.get(separator).times(sizes.get(0).items())).times(2);
  }
}
