package io.millrace.store;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Object store with the S3 protocol. Credentials come from where Amazon's clients look for them:
 * environment, {@code ~/.aws}, container or host.
 *
 * @param location {@code s3://BUCKET/PREFIX}, without a slash at the end; null for none
 * @param endpoint URL of a server other than Amazon's; null for Amazon's
 * @param region of the bucket
 * @param cacheBytes maximum size of files of rows that are kept on the local disk too, at least 64
 *     MiB
 */
public record ObjectsConfig(String location, String endpoint, String region, long cacheBytes) {
  private static final long MIB = 1L << 20;
  private static final Pattern LOCATION =
      Pattern.compile("s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/[A-Za-z0-9!_.*'()=-]+)*)");

  /** Validates location and endpoint. */
  public ObjectsConfig {
    if (location != null && !LOCATION.matcher(location).matches()) {
      throw new IllegalArgumentException(
          "store.objects.location: invalid location "
              + location
              + ", expected s3://BUCKET/PREFIX without a slash at the end");
    }
    HttpUrl.check("store.objects.endpoint", endpoint);
    if (cacheBytes < 64 * MIB) {
      throw new IllegalArgumentException(
          "store.objects.cache: " + cacheBytes + " is less than " + 64 * MIB);
    }
  }

  private Matcher parts() {
    Matcher parts = LOCATION.matcher(location);
    if (!parts.matches()) {
      throw new IllegalStateException("checked by the constructor: " + location);
    }
    return parts;
  }

  /** Name of the bucket. */
  public String bucket() {
    return parts().group(1);
  }

  /** What keys of objects begin with: empty, or ending with a slash. */
  public String prefix() {
    String path = parts().group(2);
    return path.isEmpty() ? "" : path.substring(1) + "/";
  }

  /** No object store. */
  public static ObjectsConfig defaults() {
    return new ObjectsConfig(null, null, "us-east-1", 64L << 30);
  }
}
