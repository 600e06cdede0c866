package io.millrace.store.filter;

import java.util.ArrayList;
import java.util.List;

/**
 * Tokenizer of filters: words, quoted texts and signs. A word extends to a space, quote or sign, so
 * it may be an address, a network, a time or a range of numbers. {@code #} starts a comment to the
 * end of the line.
 */
final class FilterTokens {
  private static final List<String> SIGNS =
      List.of(
          "==", "!=", "<>", "<=", ">=", "&&", "||", "=", "<", ">", "!", "&", "(", ")", "[", "]",
          ",");

  enum Type {
    WORD,
    TEXT,
    SIGN,
    END
  }

  /** {@code text} is without quotes; {@code at} the index of its first character. */
  record Token(Type type, String text, int at) {
    boolean is(String sign) {
      return type == Type.SIGN && text.equals(sign);
    }

    boolean isWord(String word) {
      return type == Type.WORD && text.equalsIgnoreCase(word);
    }

    String shown() {
      return type == Type.END ? "the end" : "'" + text + "'";
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
        String sign = sign(text, at);
        tokens.add(new Token(Type.SIGN, sign, at));
        at += sign.length();
      }
    }
    tokens.add(new Token(Type.END, "", text.length()));
    return tokens;
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || "_.:/-".indexOf(c) >= 0;
  }

  private static String sign(String text, int at) {
    for (String sign : SIGNS) {
      if (text.startsWith(sign, at)) {
        return sign;
      }
    }
    throw new FilterException(text, at, "unexpected character '" + text.charAt(at) + "'");
  }

  /** A quote inside is doubled. */
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
