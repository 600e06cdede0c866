package io.millrace.store.storage;

import io.millrace.store.ObjectsConfig;
import io.millrace.testing.S3Server;

/** Clients of a {@link S3Server}. */
public final class TestObjects {
  private TestObjects() {}

  /** Settings of a client. */
  public static ObjectsConfig config(S3Server server) {
    return new ObjectsConfig(S3Server.LOCATION, server.endpoint(), "us-east-1", 64 << 20);
  }

  /** A client. */
  public static ObjectStore client(S3Server server) {
    return new ObjectStore(config(server));
  }
}
