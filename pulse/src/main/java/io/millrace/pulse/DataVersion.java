package io.millrace.pulse;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;

/**
 * Release that last opened a data directory, and format of the data, stored as the file {@code
 * version} in the directory.
 *
 * <pre>
 * release=0.1.0
 * format=1
 * </pre>
 *
 * <p>One format number covers all files of the directory. A release raises {@link #FORMAT} if it
 * changes any file such that earlier releases cannot read it. Each release opens all earlier
 * formats, and rejects later ones before it reads or writes any other file.
 *
 * @param release such as 0.1.0
 * @param format at least 1
 */
public record DataVersion(String release, int format) {
  /** The file's name. */
  public static final String FILE = "version";

  /** Format that this release writes. */
  public static final int FORMAT = 1;

  /** This release. */
  public static final DataVersion CURRENT = new DataVersion(ownRelease(), FORMAT);

  private static final String RELEASE_KEY = "release";
  private static final String FORMAT_KEY = "format";

  private static String ownRelease() {
    try (InputStream in = DataVersion.class.getResourceAsStream("release.properties")) {
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty(RELEASE_KEY);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads the version of a directory; empty if no release has opened it.
   *
   * @throws IOException if the file is unreadable or damaged; the message says what to do
   */
  public static Optional<DataVersion> read(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    String text;
    try {
      // Latin 1 decodes any bytes.
      text = Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    try {
      Properties properties = new Properties();
      properties.load(new StringReader(text));
      String release = properties.getProperty(RELEASE_KEY, "");
      int format = Integer.parseInt(properties.getProperty(FORMAT_KEY, ""));
      if (!release.isEmpty() && format > 0) {
        return Optional.of(new DataVersion(release, format));
      }
    } catch (IllegalArgumentException e) {
      // not a number, or an invalid escape; reported below
    }
    throw new IOException(
        "%s is damaged: expected the lines %s=… and %s=…; restore them for the release that last used this directory (this release: %s and %d)"
            .formatted(file, RELEASE_KEY, FORMAT_KEY, CURRENT.release, FORMAT));
  }

  /**
   * Checks that this release can open a directory, which may be missing; changes nothing.
   *
   * @param remedy alternative to installing the later release
   * @throws IOException if a later release has changed the format; the message is one line
   */
  public static void check(Path directory, String remedy) throws IOException {
    Optional<DataVersion> written = read(directory);
    if (written.isPresent()) {
      written.get().check(directory + " was written by", "install", remedy);
    }
  }

  /**
   * Checks that this release can read data of this version.
   *
   * @param what subject and verb of the message, such as "DIR was written by"
   * @param use verb for the later release, such as "install"
   * @param remedy alternative to installing the later release
   * @throws IOException if it cannot; the message is one line
   */
  public void check(String what, String use, String remedy) throws IOException {
    if (format > FORMAT) {
      throw new IOException(
          "%s Millrace %s (format %d), this is Millrace %s (format %d): %s Millrace %s or later, or %s"
              .formatted(what, release, format, CURRENT.release, FORMAT, use, release, remedy));
    }
  }

  /** Writes the version file into a directory, durably. */
  public void write(Path directory) throws IOException {
    String text = "%s=%s%n%s=%d%n".formatted(RELEASE_KEY, release, FORMAT_KEY, format);
    StateFile.replace(directory.resolve(FILE), text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /**
   * Marks a directory as opened by this release. Call after {@link #check} and before any other
   * file is changed.
   */
  public static void mark(Path directory) throws IOException {
    if (!read(directory).equals(Optional.of(CURRENT))) {
      CURRENT.write(directory);
    }
  }
}
