package io.millrace.server.runtime;

import io.millrace.store.ObjectsConfig;
import io.millrace.testing.S3Server;
import java.nio.file.Path;

/** A {@link KilledInstance} with its tables in an object store. */
final class KilledWithObjects {
  private KilledWithObjects() {}

  /** Arguments: data directory, URL of the object store. */
  public static void main(String[] arguments) throws Exception {
    Path data = Path.of(arguments[0]);
    DataDirectory.keepTemporaryFiles(data);
    System.setProperty("aws.accessKeyId", "test");
    System.setProperty("aws.secretAccessKey", "test");
    KilledInstance.run(config(data, arguments[1]));
  }

  static MillraceConfig config(Path data, String endpoint) {
    MillraceConfig config = KilledInstance.config(data);
    return config.withSection(
        config
            .store()
            .withObjects(new ObjectsConfig(S3Server.LOCATION, endpoint, "us-east-1", 64 << 20)));
  }
}
