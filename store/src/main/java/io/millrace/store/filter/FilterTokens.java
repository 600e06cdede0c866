package io.millrace.store.filter;

import java.util.ArrayList;
import java.util.List;

/**
 * Tokenizer of filters: words, quoted texts and symbols. A word ends at a space, quote or symbol,
 * so it may be an address, a network, a time or a range of numbers. {@code #} starts a comment that
 * ends with the line.
 */
final class FilterTokens {
  private static final List<String> SYMBOLS =
      List.of(
          "==", "!=", "<>", "<=", ">=", "&&", "||", "=", "<", ">", "!", "&", "(", ")", "[", "]",
          ",");

  enum Type {
    WORD,
    TEXT,
    SYMBOL,
    END
  }

  /** {@code text} has no quotes; {@code at} is the index of the token's first character. */
  record Token(Type type, String text, int at) {
    boolean is(String symbol) {
      return type == Type.SYMBOL && text.equals(symbol);
    }

    boolean isWord(String word) {
      return type == Type.WORD && text.equalsIgnoreCase(word);
    }

    String shown() {
      return type == Type.END ? "end of filter" : "'" + text + "'";
    }
  }

  private FilterTokens() {}

  static List<Token> of(String text) {
    List<Token> tokens = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (Character.isWhitespace(c)) {
        at++;
      } else if (c == '#') {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (c == '\'' || c == '"') {
        at = quoted(text, at, tokens);
      } else if (isWordPart(c)) {
        int end = at;
        while (end < text.length() && (isWordPart(text.charAt(end)) || text.charAt(end) == '+')) {
          end++;
        }
        tokens.add(new Token(Type.WORD, text.substring(at, end), at));
        at = end;
      } else {
        String symbol = symbol(text, at);
        tokens.add(new Token(Type.SYMBOL, symbol, at));
        at += symbol.length();
      }
    }
    tokens.add(new Token(Type.END, "", text.length()));
    return tokens;
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || "_.:/-".indexOf(c) >= 0;
  }

  private static String symbol(String text, int at) {
    for (String symbol : SYMBOLS) {
      if (text.startsWith(symbol, at)) {
        return symbol;
      }
    }
    throw new FilterException(text, at, "unexpected character '" + text.charAt(at) + "'");
  }

  /** Parses a quoted text, in which quotes are doubled. */
  private static int quoted(String text, int start, List<Token> tokens) {
    char quote = text.charAt(start);
    StringBuilder content = new StringBuilder();
    for (int at = start + 1; at < text.length(); at++) {
      if (text.charAt(at) != quote) {
        content.append(text.charAt(at));
      } else if (at + 1 < text.length() && text.charAt(at + 1) == quote) {
        content.append(quote);
        at++;
      } else {
        tokens.add(new Token(Type.TEXT, content.toString(), start));
        return at + 1;
      }
    }
    throw new FilterException(text, start, "unterminated quote, expected " + quote);
  }
}
