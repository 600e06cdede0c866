package io.millrace.store.filter;

import io.millrace.store.filter.FilterTokens.Token;
import java.util.List;

/** A place in the tokens of a filter. Used by one thread. */
final class FilterCursor {
  private final String text;
  private final List<Token> tokens;
  private int next;

  FilterCursor(String text) {
    this.text = text;
    tokens = FilterTokens.of(text);
  }

  Token peek() {
    return tokens.get(next);
  }

  /** The token here; the cursor goes on behind it. */
  Token take() {
    return tokens.get(next++);
  }

  /** Goes on behind the token if it is one of these words or signs. */
  boolean take(String... any) {
    boolean found = sees(any);
    next += found ? 1 : 0;
    return found;
  }

  /** Whether the token is one of these words or signs. */
  boolean sees(String... any) {
    for (String one : any) {
      if (peek().isWord(one) || peek().is(one)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the token is a value: a word or a quoted text. */
  boolean seesValue() {
    return peek().type() == FilterTokens.Type.WORD || peek().type() == FilterTokens.Type.TEXT;
  }

  /** The token behind the next one. */
  Token second() {
    return tokens.get(Math.min(next + 1, tokens.size() - 1));
  }

  void expect(String one, String expected) {
    if (!take(one)) {
      throw wrong(expected);
    }
  }

  /** What to throw where something else was expected here. */
  FilterException wrong(String expected) {
    return at(peek(), "expected " + expected + ", found " + peek().shown());
  }

  /** What to throw for a problem with a token. */
  FilterException at(Token token, String problem) {
    return new FilterException(text, token.at(), problem);
  }
}
