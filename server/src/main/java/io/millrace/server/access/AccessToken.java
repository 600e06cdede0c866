package io.millrace.server.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A bearer token (RFC 6750). Its text is never exposed, not even by {@link #toString}. Immutable.
 */
public final class AccessToken {
  private static final Pattern TEXT = Pattern.compile("[A-Za-z0-9._~+/-]+=*");
  private static final int MIN_LENGTH = 8;
  private static final String MASK = "********";
  private static final String SCHEME = "Bearer ";

  private final byte[] digest;

  private AccessToken(String text) {
    digest = digest(text);
  }

  /**
   * Creates a token.
   *
   * @param text letters, digits and {@code -._~+/}, at least 8
   * @throws IllegalArgumentException if it is invalid; the message does not contain the text
   */
  public static AccessToken of(String text) {
    if (text.equals(MASK)) {
      throw new IllegalArgumentException(
          MASK + " only hides a token, write the token or http.token-file");
    }
    if (text.length() < MIN_LENGTH || !TEXT.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "invalid token, expected at least 8 letters, digits and -._~+/, such as the output of"
              + " openssl rand -hex 32");
    }
    return new AccessToken(text);
  }

  /**
   * Reads a token from a file, without surrounding white space.
   *
   * @throws IOException if the file cannot be read or contains no token; the message names the file
   */
  public static AccessToken read(Path file) throws IOException {
    try {
      return of(Files.readString(file).strip());
    } catch (IOException e) {
      throw new IOException("http.token-file: cannot read " + file, e);
    } catch (IllegalArgumentException e) {
      throw new IOException("http.token-file: " + file + ": " + e.getMessage(), e);
    }
  }

  /**
   * Whether the value of an {@code Authorization} header has this token. Takes the same time for
   * every wrong one.
   */
  public boolean matches(String authorization) {
    return digestIn(authorization)
        .filter(shown -> MessageDigest.isEqual(digest, shown))
        .isPresent();
  }

  /**
   * {@link #digest} of the token in an {@code Authorization} header; empty if there is no token, or
   * no header.
   */
  public static Optional<byte[]> digestIn(String authorization) {
    return authorization != null && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? Optional.of(digest(authorization.substring(SCHEME.length()).strip()))
        : Optional.empty();
  }

  /**
   * SHA-256 of a token's text. Digests have equal lengths, so comparing them does not leak the
   * length of the token.
   */
  public static byte[] digest(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new LinkageError("SHA-256 is required of every JDK", e);
    }
  }

  @Override
  public String toString() {
    return MASK;
  }
}
