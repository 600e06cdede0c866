package io.millrace.server.dashboard;

import io.millrace.pipelines.Pipeline;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Files of the console, read into memory once. Only listed files are served, so that no path leads
 * to another resource of the jar. Immutable.
 */
public final class DashboardAssets {
  /**
   * Headers of every file: the page loads nothing from other hosts, sends nothing to them, and
   * cannot be framed. Blobs are images that the page draws for saving.
   */
  public static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'self'; img-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cache-Control",
          "no-cache");

  private static final String ROOT = "/web/";

  private static final String MODULE = "dashboard.js";

  private static final String[] FILES = {
    "access/access.js",
    "alerts/alerts.js",
    "alerts/marks.js",
    "api.js",
    "chart/colors.js",
    "chart/errors.js",
    "chart/heat.js",
    "chart/layers.js",
    "chart/marks.js",
    "chart/matrix.js",
    "chart/plot.js",
    "chart/sankey.js",
    "clipboard.js",
    "dimensions.js",
    "element.js",
    "estimates.js",
    "explore/explore.js",
    "explore/exports.js",
    "explore/forms.js",
    "explore/png.js",
    "filter/complete.js",
    "filter/field.js",
    "filter/filter.js",
    "format.js",
    "icon.svg",
    "index.html",
    "main.js",
    "names.js",
    "now/directions.js",
    "now/empty.js",
    "now/now.js",
    "now/sections.js",
    "pipelines/advice.js",
    "pipelines/pipelines.js",
    "repeat.js",
    "route.js",
    "schema.js",
    "search/search.js",
    "sources/books.js",
    "sources/datasets.js",
    "sources/hex.js",
    "sources/letters.js",
    "sources/sources.js",
    "sql/history.js",
    "sql/result.js",
    "sql/sql.js",
    "style.css",
    "thing/counters.js",
    "thing/names.js",
    "thing/services.js",
    "thing/thing.js",
    "thing/things.js",
    "time.js",
    "uplot/uPlot.iife.min.js",
    "uplot/uPlot.min.css",
    "values/groups.js",
    "values/keys.js",
    "values/menu.js",
    "values/progress.js",
    "values/spark.js",
    "values/value.js",
    "values/window.js",
    "view.js",
  };

  /**
   * A file.
   *
   * @param contentType media type with the character set
   * @param bytes content; must not be modified
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Asset(String contentType, byte[] bytes) {}

  private final Map<String, Asset> byPath = new TreeMap<>();

  /** Reads all files, including the modules of the pipelines. */
  public DashboardAssets(List<Pipeline> pipelines) {
    for (String file : FILES) {
      add(file, DashboardAssets.class.getResource(ROOT + file));
    }
    byPath.put("/", byPath.get("/index.html"));
    for (Pipeline pipeline : pipelines) {
      module(pipeline).ifPresent(file -> add(file, pipeline.getClass().getResource(MODULE)));
    }
  }

  private void add(String file, URL source) {
    if (source == null) {
      throw new IllegalStateException("missing resource " + ROOT + file + ": rebuild the jar");
    }
    try (InputStream in = source.openStream()) {
      byPath.put("/" + file, new Asset(contentType(file), in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Path, relative to the page, of the module of a pipeline's section; empty if it has none. */
  public static Optional<String> module(Pipeline pipeline) {
    return Optional.ofNullable(pipeline.getClass().getResource(MODULE))
        .map(there -> "pipelines/" + pipeline.name() + ".js");
  }

  /** Returns the file at the path of a request; the page itself is {@code /}. */
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
