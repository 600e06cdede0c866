package io.millrace.analytics.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Applications by host name: {@code youtube.com} matches that name and its subdomains; {@code
 * google.*} matches {@code google} directly below a top-level domain or one like {@code co.uk}. The
 * longest match wins. Immutable once read, so thread-safe.
 *
 * <p>A line of a table has the application, a tab, and names separated by spaces; empty lines and
 * those that begin with {@code #} are ignored.
 */
public final class AppNames {
  private static final String RESOURCE = "names.tsv";
  private static final String ANY_TOP_LEVEL = ".*";
  private static final int LONGEST_SECOND_LEVEL = 3;

  private final Map<String, String> below = new HashMap<>();
  private final Map<String, String> anywhere = new HashMap<>();

  private AppNames() {}

  /** The built-in names. */
  public static AppNames builtIn() {
    AppNames names = new AppNames();
    try (InputStream in = AppNames.class.getResourceAsStream(RESOURCE);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      names.read(lines, RESOURCE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return names;
  }

  /**
   * These names and those of a file, which take precedence.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException for an invalid line, with its position
   */
  public static AppNames withFile(Path file) throws IOException {
    AppNames names = builtIn();
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      names.read(lines, file.toString());
    }
    return names;
  }

  private void read(BufferedReader lines, String source) throws IOException {
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      int tab = line.indexOf('\t');
      if (tab <= 0 || line.substring(tab).isBlank()) {
        throw new IllegalArgumentException(
            source + ":" + number + ": expected an application, a tab, and host names");
      }
      String app = line.substring(0, tab).strip();
      for (String name : line.substring(tab).strip().toLowerCase(Locale.ROOT).split("\\s+", -1)) {
        if (name.endsWith(ANY_TOP_LEVEL)) {
          anywhere.put(name.substring(0, name.length() - ANY_TOP_LEVEL.length()), app);
        } else {
          below.put(name, app);
        }
      }
    }
  }

  /** Number of names. */
  public int size() {
    return below.size() + anywhere.size();
  }

  /**
   * The application of a host.
   *
   * @param host in lower case
   */
  public Optional<String> app(String host) {
    String name = host;
    while (true) {
      String app = below.get(name);
      if (app == null) {
        app = withAnyTopLevel(name);
      }
      if (app != null) {
        return Optional.of(app);
      }
      int dot = name.indexOf('.');
      if (dot < 0) {
        return Optional.empty();
      }
      name = name.substring(dot + 1);
    }
  }

  private String withAnyTopLevel(String name) {
    int last = name.lastIndexOf('.');
    if (last <= 0) {
      return null;
    }
    String app = anywhere.get(name.substring(0, last));
    int second = name.lastIndexOf('.', last - 1);
    boolean isDivided = second > 0 && last - second - 1 <= LONGEST_SECOND_LEVEL;
    return app == null && isDivided ? anywhere.get(name.substring(0, second)) : app;
  }
}
