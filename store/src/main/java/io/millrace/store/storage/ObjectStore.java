package io.millrace.store.storage;

import io.millrace.store.ObjectsConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * The objects of a bucket whose keys begin with a prefix; keys here are without it.
 *
 * <p>Failed requests and responses 500 and 503 are repeated, three attempts in all. A request that
 * failed may have taken effect, or do so later.
 *
 * <p>All methods throw {@link IOException} with one line that names the object. Thread-safe.
 *
 * <p>Source: Amazon S3 API Reference, version 2006-03-01.
 */
public final class ObjectStore implements AutoCloseable {
  private static final int ATTEMPTS = 3;
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration SILENCE = Duration.ofSeconds(10);

  /** Slowest transfer that is not given up, bytes per second. */
  private static final long SLOWEST = 1 << 20;

  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int PRECONDITION_FAILED = 412;

  private final ObjectsConfig config;
  private final String prefix;
  private final S3Client client;

  /**
   * An object.
   *
   * @param modified when it was written, by the clock of the object store
   */
  public record Entry(String key, long bytes, Instant modified) {}

  /** Connects with the first request. */
  public ObjectStore(ObjectsConfig config) {
    this.config = config;
    prefix = config.prefix();
    S3ClientBuilder builder =
        S3Client.builder()
            .region(Region.of(config.region()))
            .httpClientBuilder(
                UrlConnectionHttpClient.builder().connectionTimeout(CONNECT).socketTimeout(SILENCE))
            .overrideConfiguration(
                settings ->
                    settings.retryStrategy(
                        StandardRetryStrategy.builder().maxAttempts(ATTEMPTS).build()))
            // servers other than Amazon's may not know chunks, nor checksums in trailers
            .serviceConfiguration(S3Configuration.builder().chunkedEncodingEnabled(false).build())
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
    if (config.endpoint() != null) {
      builder.endpointOverride(URI.create(config.endpoint())).forcePathStyle(true);
    }
    client = builder.build();
  }

  /** {@code s3://BUCKET/PREFIX}. */
  public String location() {
    return config.location();
  }

  /** Settings of the object store. */
  public ObjectsConfig config() {
    return config;
  }

  private <T> T request(String what, String key, Supplier<T> request) throws IOException {
    try {
      return request.get();
    } catch (S3Exception e) {
      String code = e.awsErrorDetails() == null ? null : e.awsErrorDetails().errorCode();
      throw new IOException(
          "cannot %s %s/%s: status %d %s"
              .formatted(what, location(), key, e.statusCode(), code == null ? "" : code)
              .strip(),
          e);
    } catch (SdkException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException(
          "cannot %s %s/%s: %s%s"
              .formatted(
                  what,
                  location(),
                  key,
                  firstLine(cause),
                  config.endpoint() == null ? "" : " (" + config.endpoint() + ")"),
          e);
    }
  }

  private static String firstLine(Throwable cause) {
    String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    int end = message.indexOf('\n');
    String line = end < 0 ? message : message.substring(0, end);
    return line.startsWith("Unable to load credentials")
        ? "no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        : line;
  }

  private interface Reading<T> {
    T read(InputStream in) throws IOException;
  }

  /**
   * Repeats requests whose response ends early, which the HTTP client does not notice.
   *
   * @param length of what was read, bytes
   */
  private static <T> ResponseTransformer<GetObjectResponse, T> whole(
      Reading<T> reading, ToLongFunction<T> length) {
    return (response, in) -> {
      try {
        T read = reading.read(in);
        if (length.applyAsLong(read) != response.contentLength()) {
          throw new IOException(
              "the response ended after %d of %d bytes"
                  .formatted(length.applyAsLong(read), response.contentLength()));
        }
        return read;
      } catch (IOException e) {
        throw RetryableException.create(e.getMessage(), e);
      }
    };
  }

  private static AwsRequestOverrideConfiguration limit(long bytes) {
    return AwsRequestOverrideConfiguration.builder()
        .apiCallAttemptTimeout(SILENCE.plusSeconds(bytes / SLOWEST))
        .build();
  }

  /** Writes a file of at most 5 GiB, replacing the object if it exists. */
  public void put(String key, Path file) throws IOException {
    AwsRequestOverrideConfiguration limit = limit(Files.size(file));
    var unused =
        request(
            "write",
            key,
            () ->
                client.putObject(
                    put ->
                        put.bucket(config.bucket()).key(prefix + key).overrideConfiguration(limit),
                    RequestBody.fromFile(file)));
  }

  /**
   * Writes an object unless it exists.
   *
   * @return false if it exists, perhaps from an earlier attempt of this call
   */
  public boolean putIfAbsent(String key, byte[] content) throws IOException {
    return request(
        "write",
        key,
        () -> {
          try {
            var unused =
                client.putObject(
                    put ->
                        put.bucket(config.bucket())
                            .key(prefix + key)
                            .ifNoneMatch("*")
                            .overrideConfiguration(limit(content.length)),
                    RequestBody.fromBytes(content));
            return true;
          } catch (S3Exception e) {
            if (e.statusCode() == PRECONDITION_FAILED || e.statusCode() == CONFLICT) {
              return false;
            }
            throw e;
          }
        });
  }

  /**
   * Checks that the bucket can be written, and that an object is not replaced by {@link
   * #putIfAbsent}, without which two commits could replace each other.
   */
  public void checkWrites() throws IOException {
    String probe = "probe-" + UUID.randomUUID();
    var unused = putIfAbsent(probe, new byte[] {1});
    boolean isReplaced = putIfAbsent(probe, new byte[] {2});
    delete(probe);
    if (isReplaced) {
      throw new IOException(
          location()
              + " replaces objects that are written with If-None-Match: the server must support conditional writes");
    }
  }

  /** Reads an object as a whole; empty if it does not exist. */
  public Optional<byte[]> get(String key) throws IOException {
    return request(
        "read",
        key,
        () -> {
          try {
            return Optional.of(
                client.getObject(
                    get ->
                        get.bucket(config.bucket())
                            .key(prefix + key)
                            .overrideConfiguration(limit(SLOWEST)),
                    whole(InputStream::readAllBytes, bytes -> bytes.length)));
          } catch (NoSuchKeyException e) {
            return Optional.empty();
          }
        });
  }

  /**
   * Copies an object to a file, which must not exist.
   *
   * @param bytes expected size
   * @return false if there is no object; no file is created
   */
  public boolean get(String key, Path file, long bytes) throws IOException {
    boolean isThere =
        request(
            "read",
            key,
            () -> {
              try {
                var unused =
                    client.getObject(
                        get ->
                            get.bucket(config.bucket())
                                .key(prefix + key)
                                .overrideConfiguration(limit(bytes)),
                        whole(
                            in -> Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING),
                            copied -> copied));
                return true;
              } catch (NoSuchKeyException e) {
                return false;
              }
            });
    if (isThere && Files.size(file) != bytes) {
      throw new IOException(
          "%s/%s has %d bytes, expected %d".formatted(location(), key, Files.size(file), bytes));
    }
    return isThere;
  }

  /** Size of an object, bytes; empty if it does not exist. */
  public OptionalLong size(String key) throws IOException {
    return request(
        "read",
        key,
        () -> {
          try {
            return OptionalLong.of(
                client
                    .headObject(head -> head.bucket(config.bucket()).key(prefix + key))
                    .contentLength());
          } catch (S3Exception e) {
            if (e.statusCode() == NOT_FOUND) {
              return OptionalLong.empty();
            }
            throw e;
          }
        });
  }

  /** Deletes an object; does nothing if it does not exist. */
  public void delete(String key) throws IOException {
    var unused =
        request(
            "delete",
            key,
            () -> client.deleteObject(delete -> delete.bucket(config.bucket()).key(prefix + key)));
  }

  /** Copies an object within the bucket. */
  public void copy(String from, String to) throws IOException {
    var unused =
        request(
            "copy",
            from,
            () ->
                client.copyObject(
                    copy ->
                        copy.sourceBucket(config.bucket())
                            .sourceKey(prefix + from)
                            .destinationBucket(config.bucket())
                            .destinationKey(prefix + to)));
  }

  /** All objects whose keys begin with a text. */
  public List<Entry> list(String start) throws IOException {
    List<Entry> entries = new ArrayList<>();
    list(
        start,
        null,
        page ->
            page.contents()
                .forEach(
                    object ->
                        entries.add(
                            new Entry(
                                object.key().substring(prefix.length()),
                                object.size(),
                                object.lastModified()))));
    return entries;
  }

  /**
   * Names of the folders that keys have after a text.
   *
   * @param start ends with a slash
   */
  public List<String> folders(String start) throws IOException {
    List<String> names = new ArrayList<>();
    int before = prefix.length() + start.length();
    list(
        start,
        "/",
        page ->
            page.commonPrefixes()
                .forEach(
                    each ->
                        names.add(each.prefix().substring(before, each.prefix().length() - 1))));
    return names;
  }

  private void list(String start, String delimiter, Consumer<ListObjectsV2Response> pages)
      throws IOException {
    String next = null;
    do {
      String token = next;
      ListObjectsV2Response page =
          request(
              "list",
              start,
              () ->
                  client.listObjectsV2(
                      list ->
                          list.bucket(config.bucket())
                              .prefix(prefix + start)
                              .delimiter(delimiter)
                              .continuationToken(token)));
      pages.accept(page);
      next = page.nextContinuationToken();
    } while (next != null);
  }

  @Override
  public void close() {
    client.close();
  }
}
