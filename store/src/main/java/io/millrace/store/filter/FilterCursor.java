package io.millrace.store.filter;

import io.millrace.store.filter.FilterTokens.Token;
import java.util.List;

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

  Token take() {
    return tokens.get(next++);
  }

  boolean take(String... any) {
    boolean found = sees(any);
    next += found ? 1 : 0;
    return found;
  }

  boolean sees(String... any) {
    for (String one : any) {
      if (peek().isWord(one) || peek().is(one)) {
        return true;
      }
    }
    return false;
  }

  boolean seesValue() {
    return peek().type() == FilterTokens.Type.WORD || peek().type() == FilterTokens.Type.TEXT;
  }

  Token second() {
    return tokens.get(Math.min(next + 1, tokens.size() - 1));
  }

  void expect(String one, String expected) {
    if (!take(one)) {
      throw wrong(expected);
    }
  }

  FilterException wrong(String expected) {
    return at(peek(), "expected " + expected + ", found " + peek().shown());
  }

  FilterException at(Token token, String problem) {
    return new FilterException(text, token.at(), problem);
  }
}
