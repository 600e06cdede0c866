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
 * What writers show to a {@link StoreServer} before it takes anything else from them: SHA-256 of
 * the text in a file that both have. Travels with the job. Its text does not come out again.
 * Immutable.
 */
public final class StoreSecret implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Bytes of {@link #digest()}. */
  static final int LENGTH = 32;

  /** Name of the file under an instance's data. */
  public static final String FILE_NAME = "store.secret";

  /** Of a store that asks for none. */
  public static final StoreSecret NONE = new StoreSecret(new byte[LENGTH]);

  private static final int MIN_TEXT = 8;

  private final byte[] digest;

  private StoreSecret(byte[] digest) {
    this.digest = digest;
  }

  /**
   * The secret in a file, without the white space around it.
   *
   * @throws IOException if the file cannot be read or holds less than 8 characters; names the file
   */
  public static StoreSecret read(Path file) throws IOException {
    String text;
    try {
      text = Files.readString(file).strip();
    } catch (IOException e) {
      throw new IOException("cannot read the store's secret in " + file + ": " + e, e);
    }
    if (text.length() < MIN_TEXT) {
      throw new IOException(
          file
              + ": the store's secret has less than "
              + MIN_TEXT
              + " characters; delete the file"
              + " to have another one made");
    }
    try {
      return new StoreSecret(
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new LinkageError("every Java has SHA-256", e);
    }
  }

  /** As {@link #read}; a file that is missing is made, which its owner alone may read. */
  public static StoreSecret readOrMake(Path file) throws IOException {
    byte[] random = new byte[LENGTH];
    new SecureRandom().nextBytes(random);
    byte[] text = (HexFormat.of().formatHex(random) + "\n").getBytes(StandardCharsets.US_ASCII);
    if (!Files.exists(file)) {
      StateFile.replace(file, text);
    }
    return read(file);
  }

  /** What is shown, not a copy. */
  byte[] digest() {
    return digest;
  }

  /** Whether a writer showed this one. Takes the same time for every wrong one. */
  boolean isShownBy(byte[] shown) {
    return MessageDigest.isEqual(digest, shown);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StoreSecret that && isShownBy(that.digest);
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
