package io.millrace.server.api;

import io.millrace.pipelines.Pipeline;
import io.millrace.server.dashboard.DashboardAssets;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Serves the console's files. */
public final class FilesEndpoint implements Endpoint {
  private final DashboardAssets assets;

  FilesEndpoint(List<Pipeline> pipelines) {
    assets = new DashboardAssets(pipelines);
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    DashboardAssets.Asset asset =
        assets
            .find(exchange.path())
            .orElseThrow(() -> new ApiException(404, "unknown path " + exchange.path()));
    DashboardAssets.HEADERS.forEach(exchange::header);
    try (OutputStream out = exchange.respond(asset.contentType())) {
      out.write(asset.bytes());
    }
  }
}
