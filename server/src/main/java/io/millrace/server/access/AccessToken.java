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
 * A bearer token (RFC 6750): who sends it may ask. Its text does not come out again, not even in
 * {@link #toString}. Immutable.
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
   * The token of that text.
   *
   * @param text letters, digits and {@code -._~+/}, at least 8
   * @throws IllegalArgumentException if it is none; the message does not hold the text
   */
  public static AccessToken of(String text) {
    if (text.equals(MASK)) {
      throw new IllegalArgumentException(
          MASK + " only hides a token, write the token or http.token-file");
    }
    if (text.length() < MIN_LENGTH || !TEXT.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "at least 8 letters, digits and -._~+/ are needed, such as openssl rand -hex 32"
              + " gives");
    }
    return new AccessToken(text);
  }

  /**
   * The token in a file, without the white space around it.
   *
   * @throws IOException if the file cannot be read or holds none; names the file
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
   * Whether the value of an {@code Authorization} header shows this token. Takes the same time for
   * every wrong one.
   */
  public boolean isShownBy(String authorization) {
    return digestShownBy(authorization)
        .filter(shown -> MessageDigest.isEqual(digest, shown))
        .isPresent();
  }

  /**
   * The {@link #digest} of whatever token the value of an {@code Authorization} header shows; empty
   * if it shows none, or is missing.
   */
  public static Optional<byte[]> digestShownBy(String authorization) {
    return authorization != null && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? Optional.of(digest(authorization.substring(SCHEME.length()).strip()))
        : Optional.empty();
  }

  /**
   * What is kept of a token: SHA-256 of its text. Digests have one length, so that comparing them
   * does not tell the token's.
   */
  public static byte[] digest(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new LinkageError("every Java has SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return MASK;
  }
}
