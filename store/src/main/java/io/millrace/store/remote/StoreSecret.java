package io.millrace.store.remote;

import io.millrace.pulse.StateFile;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Shared secret of writers and a {@link StoreServer}: SHA-256 of the text in a file that both have.
 * Serialised with the job; the text cannot be recovered. Immutable.
 */
public final class StoreSecret implements Serializable {
  private static final long serialVersionUID = 1L;

  static final int LENGTH = 32;

  /** Name of the file in an instance's data directory. */
  public static final String FILE_NAME = "store.secret";

  /** For a store that requires none. */
  public static final StoreSecret NONE = new StoreSecret(new byte[LENGTH]);

  private static final int MIN_TEXT = 8;

  private final byte[] digest;

  private StoreSecret(byte[] digest) {
    this.digest = digest;
  }

  /**
   * Reads the secret in a file, without surrounding white space.
   *
   * @throws IOException if the file cannot be read or holds less than 8 characters; the message
   *     names it
   */
  public static StoreSecret read(Path file) throws IOException {
    String text;
    try {
      text = Files.readString(file).strip();
    } catch (IOException e) {
      throw new IOException("cannot read the store secret in " + file + ": " + e, e);
    }
    if (text.length() < MIN_TEXT) {
      throw new IOException(
          file
              + ": store secret shorter than "
              + MIN_TEXT
              + " characters; delete the file to create a new one");
    }
    try {
      return new StoreSecret(
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new LinkageError("SHA-256 is missing", e);
    }
  }

  /** As {@link #read}; creates a missing file, readable by its owner only. */
  public static StoreSecret readOrMake(Path file) throws IOException {
    byte[] random = new byte[LENGTH];
    new SecureRandom().nextBytes(random);
    byte[] text = (HexFormat.of().formatHex(random) + "\n").getBytes(StandardCharsets.US_ASCII);
    if (!Files.exists(file)) {
      StateFile.replace(file, text);
    }
    return read(file);
  }

  /** Not a copy. */
  byte[] digest() {
    return digest;
  }

  /** Compares in constant time. */
  boolean matches(byte[] shown) {
    return MessageDigest.isEqual(digest, shown);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StoreSecret that && matches(that.digest);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(digest);
  }

  @Override
  public String toString() {
    return "********";
  }
}
