package io.millrace.server.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The dashboard's files, read once into memory. The list is closed, so that no path leads to
 * another resource of the jar. Immutable.
 */
public final class DashboardAssets {
  /** Headers to send with every file: nothing is loaded from, framed by or sent to another host. */
  public static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cache-Control",
          "no-cache");

  private static final String ROOT = "/web/";
  private static final String[] FILES = {
    "index.html",
    "icon.svg",
    "style.css",
    "main.js",
    "access/access.js",
    "api.js",
    "element.js",
    "format.js",
    "gateways/gateways.js",
    "ledger/ledger.js",
    "live/chart.js",
    "live/live.js",
    "sql/sql.js",
    "top/top.js",
  };

  /**
   * A file.
   *
   * @param contentType its media type with the character set
   * @param bytes its content, not to be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Asset(String contentType, byte[] bytes) {}

  private final Map<String, Asset> byPath = new TreeMap<>();

  /** Reads all files. */
  public DashboardAssets() {
    for (String file : FILES) {
      try (InputStream in = DashboardAssets.class.getResourceAsStream(ROOT + file)) {
        if (in == null) {
          throw new IllegalStateException("the jar lacks " + ROOT + file + ": build it anew");
        }
        byPath.put("/" + file, new Asset(contentType(file), in.readAllBytes()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    byPath.put("/", byPath.get("/index.html"));
  }

  /** The file at the path of a request, {@code /} for the page itself; empty if there is none. */
  public Optional<Asset> find(String path) {
    return Optional.ofNullable(byPath.get(path));
  }

  private static String contentType(String file) {
    String ending = file.substring(file.lastIndexOf('.') + 1);
    return switch (ending) {
      case "html" -> "text/html; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      case "js" -> "text/javascript; charset=utf-8";
      case "svg" -> "image/svg+xml";
      default -> throw new IllegalStateException("no media type for " + file);
    };
  }
}
