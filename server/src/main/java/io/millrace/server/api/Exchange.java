package io.millrace.server.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.store.Cancellation;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Fields;

/** A request and its response, as seen by an {@link Endpoint}. Used by one thread. */
public final class Exchange implements ApiEndpoint.Parameters {
  static final ObjectMapper JSON = new ObjectMapper();

  private static final List<String> JSON_ONLY = List.of(MediaTypes.JSON);

  private static final Set<String> BODY_TYPES =
      Set.of(MediaTypes.JSON, "application/x-www-form-urlencoded"); // default of curl -d

  private static final Instant MIN_INSTANT = Instant.parse("0000-01-01T00:00:00Z");
  private static final Instant MAX_INSTANT = Instant.parse("+10000-01-01T00:00:00Z");

  private final Request request;
  private final Response response;
  private final int maxBodyBytes;
  private final TransfersConfig transfers;
  private final Runnable onAbort;
  private final boolean isTrusted;
  private final Fields parameters;
  private final QueryAdmission.Slot slot;
  private PacedResponse paced;

  Exchange(
      Request request,
      Response response,
      int maxBodyBytes,
      TransfersConfig transfers,
      QueryAdmission.Slot slot,
      Runnable onAbort,
      boolean isTrusted) {
    this.isTrusted = isTrusted;
    this.request = request;
    this.response = response;
    this.maxBodyBytes = maxBodyBytes;
    this.transfers = transfers;
    this.slot = slot;
    this.onAbort = onAbort;
    this.parameters = Request.extractQueryParameters(request);
  }

  /** The requested path. */
  public String path() {
    return Request.getPathInContext(request);
  }

  /** The request's method. */
  public String method() {
    return request.getMethod();
  }

  /** Responds without a body. */
  public void respondEmpty() {
    response.setStatus(204);
  }

  /** Whether the client sent the token, or none is required; other clients get fewer details. */
  public boolean isTrusted() {
    return isTrusted;
  }

  /** Sets a header of the response, before it is started. */
  public void header(String name, String value) {
    response.getHeaders().put(name, value);
  }

  @Override
  public Optional<String> get(String name) {
    return Optional.ofNullable(parameters.getValue(name));
  }

  /** A query parameter, if present and not empty. */
  public Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters.getValue(name)).filter(value -> !value.isBlank());
  }

  /**
   * A query parameter as an integer.
   *
   * @throws ApiException with status 400 if it is invalid or out of range
   */
  @Override
  public int intParameter(String name, int fallback, int min, int max) {
    String text = parameters.getValue(name);
    if (text == null) {
      return fallback;
    }
    try {
      int value = Integer.parseInt(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // reported below, with the range
    }
    throw new ApiException(
        400, name + ": " + text + " is invalid, expected an integer from " + min + " to " + max);
  }

  /**
   * A query parameter as an instant, if present.
   *
   * @throws ApiException with status 400 if it is invalid
   */
  public Optional<Instant> instantParameter(String name) {
    return get(name).map(text -> instant(name, text));
  }

  static Instant instant(String name, String text) {
    try {
      Instant instant = Instant.parse(text);
      if (!instant.isBefore(MIN_INSTANT) && instant.isBefore(MAX_INSTANT)) {
        return instant;
      }
    } catch (DateTimeParseException e) {
      // reported below
    }
    throw new ApiException(
        400, name + ": " + text + " is invalid, expected an instant such as 2026-01-31T12:00:00Z");
  }

  /** A request header, if present. */
  public Optional<String> header(String name) {
    return Optional.ofNullable(request.getHeaders().get(name));
  }

  /**
   * The request's body as JSON.
   *
   * @throws ApiException with status 400 if it is not JSON, 413 if it is too long, 415 for another
   *     media type
   */
  public JsonNode body() throws IOException {
    String type = header("Content-Type").orElse(MediaTypes.JSON);
    if (!BODY_TYPES.contains(MediaTypes.bare(type))) {
      throw new ApiException(
          415, "unsupported Content-Type: " + type + ", expected application/json");
    }
    try (InputStream in = Content.Source.asInputStream(request)) {
      byte[] bytes = in.readNBytes(maxBodyBytes + 1);
      if (bytes.length > maxBodyBytes) {
        skipRest(in);
        throw new ApiException(413, "body exceeds " + maxBodyBytes + " bytes");
      }
      JsonNode body = JSON.readTree(bytes);
      if (!body.isObject()) {
        throw new ApiException(
            400, "invalid body, expected a JSON object: {\"sql\": \"SELECT …\"}");
      }
      return body;
    } catch (JsonProcessingException e) {
      throw new ApiException(
          400,
          "invalid JSON in the body: "
              + e.getOriginalMessage()
              + ", line "
              + e.getLocation().getLineNr());
    }
  }

  /** Discards the rest of the body as {@link RestOfBody} does, on a thread that may block. */
  private static void skipRest(InputStream in) throws IOException {
    long left = RestOfBody.MAX_BYTES;
    for (long n = left; n > 0 && left > 0; left -= n) {
      n = in.skip(left);
    }
  }

  /**
   * Blocks until this query may run, and watches the client from now on: a disconnect cancels the
   * query, even before it runs. Call after the body was read.
   */
  ClientWatch awaitWorker(Cancellation cancellation) {
    return watched(cancellation, slot::resume);
  }

  /** Like {@link #awaitWorker(Cancellation)}, for an export. */
  ClientWatch awaitExport(Cancellation cancellation) {
    return watched(cancellation, slot::resumeExport);
  }

  private ClientWatch watched(Cancellation cancellation, Runnable wait) {
    ClientWatch watch = watch(cancellation::cancel);
    try {
      wait.run();
    } catch (ApiException e) {
      watch.close();
      throw e;
    }
    return watch;
  }

  /** Lets another query or export run, when this one only has to send its response. */
  void releaseWorker() {
    var unused = slot.pause();
  }

  /**
   * Watches for a disconnect: {@code gone} is called at most once, on another thread. Call after
   * the body was read.
   */
  ClientWatch watch(Runnable gone) {
    ConnectionMetaData facts = request.getConnectionMetaData();
    Connection connection = facts.getConnection();
    return new ClientWatch(
        (Connection.UpgradeTo) connection, // holds for HTTP/1.1, the only version served
        connection.getEndPoint(),
        facts.getConnector().getScheduler(),
        gone);
  }

  /** Blocks until this query may run: see {@link QueryAdmission.Slot#resume}. */
  public void awaitWorker() {
    slot.resume();
  }

  InputStream stream() {
    return Content.Source.asInputStream(request);
  }

  /**
   * Chooses the media type that the client prefers.
   *
   * @throws ApiException with status 406 if it accepts none
   */
  public String preferred(List<String> offered) {
    String accept = header("Accept").orElse("");
    return MediaTypes.choose(accept, offered)
        .orElseThrow(
            () ->
                new ApiException(
                    406,
                    "unsupported Accept: "
                        + accept
                        + ", expected one of "
                        + String.join(", ", offered)));
  }

  /**
   * Sends a value as JSON.
   *
   * @throws ApiException with status 406 if the client does not accept it
   */
  public void respond(Object value) throws IOException {
    try (OutputStream out = respond(preferred(JSON_ONLY))) {
      JSON.writeValue(out, value);
    }
  }

  /** Starts a response of this media type; the caller must close the stream. */
  public OutputStream respond(String mediaType) {
    response.setStatus(200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, mediaType);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    ConnectionMetaData facts = request.getConnectionMetaData();
    paced =
        new PacedResponse(
            Content.Sink.asOutputStream(response),
            Listener.socket(request),
            facts.getConnector().getScheduler(),
            transfers,
            slot,
            onAbort);
    return paced;
  }

  void stopPacing() {
    if (paced != null) {
      paced.stop();
    }
  }
}
