package io.millrace.server.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** One file of the jar, as it is: the description of the API. */
public final class ResourceEndpoint implements Endpoint {
  private final String mediaType;
  private final byte[] bytes;

  /** A file beside this class, read once. */
  public ResourceEndpoint(String name, String mediaType) {
    this.mediaType = mediaType;
    try (InputStream in = ResourceEndpoint.class.getResourceAsStream(name)) {
      bytes = in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    try (OutputStream out = exchange.answer(mediaType)) {
      out.write(bytes);
    }
  }
}
