package io.millrace.server.api;

import io.millrace.pipelines.Pipeline;
import io.millrace.server.dashboard.DashboardAssets;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** The dashboard's files. */
public final class FilesEndpoint implements Endpoint {
  private final DashboardAssets assets;

  /** With the modules of these pipelines. */
  FilesEndpoint(List<Pipeline> pipelines) {
    assets = new DashboardAssets(pipelines);
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    DashboardAssets.Asset asset =
        assets
            .find(exchange.path())
            .orElseThrow(() -> new ApiException(404, "no such path: " + exchange.path()));
    DashboardAssets.HEADERS.forEach(exchange::header);
    try (OutputStream out = exchange.answer(asset.contentType())) {
      out.write(asset.bytes());
    }
  }
}
