package io.millrace.store.filter;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A condition on a flow, in SQL's three-valued logic: true, false, or unknown if a column is NULL.
 * A flow matches if the condition is true. Immutable.
 */
public sealed interface Filter {
  /** Every flow. */
  record Any() implements Filter {}

  /** All of at least two conditions. */
  record And(List<Filter> parts) implements Filter {
    /** Copies the list. */
    public And {
      parts = List.copyOf(parts);
    }
  }

  /** One of at least two conditions. */
  record Or(List<Filter> parts) implements Filter {
    /** Copies the list. */
    public Or {
      parts = List.copyOf(parts);
    }
  }

  /** SQL's NOT: unknown stays unknown. */
  record Not(Filter part) implements Filter {}

  /** SQL's IS TRUE: unknown becomes false, as in nfdump, which has no NULL. */
  record Holds(Filter part) implements Filter {}

  /** The column has no value. */
  record NoValue(FilterColumn column) implements Filter {}

  /** The value of a column other than text is in one of at least one ranges. */
  record Within(FilterColumn column, List<Range> ranges) implements Filter {
    /** Copies the list. */
    public Within {
      ranges = List.copyOf(ranges);
    }
  }

  /** The text equals one of at least one texts. */
  record OneOf(FilterColumn column, List<String> texts) implements Filter {
    /** Copies the list. */
    public OneOf {
      texts = List.copyOf(texts);
    }
  }

  /** The text matches the pattern: {@code %} is any text, {@code _} any character. */
  record Like(FilterColumn column, String pattern, boolean anyCase) implements Filter {
    /** The pattern as a regular expression. */
    public Pattern toPattern() {
      StringBuilder regex = new StringBuilder();
      for (int at = 0; at < pattern.length(); at++) {
        char each = pattern.charAt(at);
        regex.append(each == '%' ? ".*" : each == '_' ? "." : Pattern.quote(String.valueOf(each)));
      }
      int flags = anyCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0;
      return Pattern.compile(regex.toString(), Pattern.DOTALL | flags);
    }
  }

  /** The bits of the number under the mask equal those of the value. */
  record Bits(FilterColumn column, long mask, long value) implements Filter {}
}
