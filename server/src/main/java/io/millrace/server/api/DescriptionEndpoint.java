package io.millrace.server.api;

import io.millrace.pipelines.Pipeline;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * {@code GET /api/v1/openapi.yaml}: description of the API, merged line by line from the resource
 * of this package and those of the pipelines. A pipeline's resource has only {@code paths},
 * followed by {@code components} with {@code schemas}.
 */
public final class DescriptionEndpoint implements Endpoint {
  private static final String PATHS = "paths:\n";
  private static final String COMPONENTS = "components:\n";
  private static final String SCHEMAS = "  schemas:\n";

  private final byte[] bytes;

  /** Merges the descriptions of these pipelines. */
  public DescriptionEndpoint(List<Pipeline> pipelines) {
    String all = text(DescriptionEndpoint.class);
    StringBuilder paths = new StringBuilder();
    StringBuilder schemas = new StringBuilder();
    for (Pipeline pipeline : pipelines) {
      String own = text(pipeline.getClass());
      if (!own.isEmpty()) {
        int components = own.indexOf(COMPONENTS);
        paths.append(own, own.indexOf(PATHS) + PATHS.length(), components);
        schemas.append(own.substring(own.indexOf(SCHEMAS, components) + SCHEMAS.length()));
      }
    }
    int components = all.indexOf("\n" + COMPONENTS) + 1;
    bytes =
        (all.substring(0, components) + paths + all.substring(components) + schemas)
            .getBytes(StandardCharsets.UTF_8);
  }

  private static String text(Class<?> owner) {
    try (InputStream in = owner.getResourceAsStream("openapi.yaml")) {
      return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    try (OutputStream out = exchange.respond("application/yaml")) {
      out.write(bytes);
    }
  }
}
