package io.millrace.server.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.pipelines.Question;
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

/** One request and its answer, as an {@link Endpoint} sees them. Used by one thread. */
public final class Exchange implements Question.Parameters {
  static final ObjectMapper JSON = new ObjectMapper();

  private static final List<String> JSON_ONLY = List.of(MediaTypes.JSON);

  private static final Set<String> BODY_TYPES =
      Set.of(MediaTypes.JSON, "application/x-www-form-urlencoded"); // what curl -d says

  private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
  private static final Instant BEHIND_LAST = Instant.parse("+10000-01-01T00:00:00Z");

  private final Request request;
  private final Response response;
  private final int maxBodyBytes;
  private final AnswersConfig pace;
  private final Runnable givenUp;
  private final boolean isTrusted;
  private final Fields parameters;
  private final OpenAnswers.Place place;
  private PacedAnswer answer;

  Exchange(
      Request request,
      Response response,
      int maxBodyBytes,
      AnswersConfig pace,
      OpenAnswers.Place place,
      Runnable givenUp,
      boolean isTrusted) {
    this.isTrusted = isTrusted;
    this.request = request;
    this.response = response;
    this.maxBodyBytes = maxBodyBytes;
    this.pace = pace;
    this.place = place;
    this.givenUp = givenUp;
    this.parameters = Request.extractQueryParameters(request);
  }

  /** The path that was asked for. */
  public String path() {
    return Request.getPathInContext(request);
  }

  /** Whether it shows the token, or none is needed: what needs no token says less to others. */
  public boolean isTrusted() {
    return isTrusted;
  }

  /** Sets a header of the answer, before it is started. */
  public void header(String name, String value) {
    response.getHeaders().put(name, value);
  }

  @Override
  public Optional<String> given(String name) {
    return Optional.ofNullable(parameters.getValue(name));
  }

  /** A query parameter, if it is there and not empty. */
  public Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters.getValue(name)).filter(value -> !value.isBlank());
  }

  /**
   * A query parameter that is a whole number.
   *
   * @throws ApiException with status 400 if it is something else or out of range
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
      // told below, with the range
    }
    throw new ApiException(
        400, name + ": " + text + " is not a whole number from " + min + " to " + max);
  }

  /**
   * A query parameter that is an instant, if it is there.
   *
   * @throws ApiException with status 400 if it is something else
   */
  public Optional<Instant> instantParameter(String name) {
    return given(name).map(text -> instant(name, text));
  }

  /**
   * An instant as RFC 3339 writes it, whose years have four digits.
   *
   * @param name what it is called, for the message
   * @throws ApiException with status 400 if it is none
   */
  static Instant instant(String name, String text) {
    try {
      Instant instant = Instant.parse(text);
      if (!instant.isBefore(FIRST) && instant.isBefore(BEHIND_LAST)) {
        return instant;
      }
    } catch (DateTimeParseException e) {
      // told below, as one that is too far away
    }
    throw new ApiException(
        400, name + ": " + text + " is not an instant, write 2026-01-31T12:00:00Z");
  }

  /** A request header, if it is there. */
  public Optional<String> header(String name) {
    return Optional.ofNullable(request.getHeaders().get(name));
  }

  /**
   * The request's body as JSON.
   *
   * @throws ApiException with status 400 if it is not JSON, 413 if it is too long, 415 if it says
   *     that it is something else
   */
  public JsonNode body() throws IOException {
    String type = header("Content-Type").orElse(MediaTypes.JSON);
    if (!BODY_TYPES.contains(MediaTypes.bare(type))) {
      throw new ApiException(415, "Content-Type: " + type + " is not read; application/json is");
    }
    try (InputStream in = Content.Source.asInputStream(request)) {
      byte[] bytes = in.readNBytes(maxBodyBytes + 1);
      if (bytes.length > maxBodyBytes) {
        skipRest(in);
        throw new ApiException(413, "the body is longer than " + maxBodyBytes + " bytes");
      }
      JsonNode body = JSON.readTree(bytes);
      if (!body.isObject()) {
        throw new ApiException(400, "the body is not a JSON object, send {\"sql\": \"SELECT …\"}");
      }
      return body;
    } catch (JsonProcessingException e) {
      throw new ApiException(
          400,
          "the body is not JSON: "
              + e.getOriginalMessage()
              + ", line "
              + e.getLocation().getLineNr());
    }
  }

  /** As {@link RestOfBody} does, by a thread that may wait. */
  private static void skipRest(InputStream in) throws IOException {
    long left = RestOfBody.MAX_BYTES;
    for (long n = left; n > 0 && left > 0; left -= n) {
      n = in.skip(left);
    }
  }

  /**
   * Tells when the client has gone before its answer is complete; until the watch is closed, which
   * it is to be before this exchange ends. Called when the body was read.
   *
   * @param gone called at most once, on another thread
   */
  ClientWatch watch(Runnable gone) {
    ConnectionMetaData facts = request.getConnectionMetaData();
    Connection connection = facts.getConnection();
    return new ClientWatch(
        (Connection.UpgradeTo) connection, // as one of HTTP/1.1 is, and no other is served
        connection.getEndPoint(),
        facts.getConnector().getScheduler(),
        gone);
  }

  /** Waits until the question may be worked on: see {@link OpenAnswers.Place#work}. */
  public void work() {
    place.work();
  }

  /** The request's body as it comes, of any length; to be closed by the caller. */
  InputStream stream() {
    return Content.Source.asInputStream(request);
  }

  /**
   * The media type that the client wants most, of those offered.
   *
   * @throws ApiException with status 406 if it wants none of them
   */
  String wanted(List<String> offered) {
    String accept = header("Accept").orElse("");
    return MediaTypes.choose(accept, offered)
        .orElseThrow(
            () ->
                new ApiException(
                    406, "Accept: " + accept + " names none of " + String.join(", ", offered)));
  }

  /**
   * Answers with a value as JSON.
   *
   * @throws ApiException with status 406 if the client does not want that
   */
  public void answer(Object value) throws IOException {
    try (OutputStream out = answer(wanted(JSON_ONLY))) {
      JSON.writeValue(out, value);
    }
  }

  /** Starts an answer of the media type; to be closed by the caller. */
  public OutputStream answer(String mediaType) {
    response.setStatus(200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, mediaType);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    ConnectionMetaData facts = request.getConnectionMetaData();
    answer =
        new PacedAnswer(
            Content.Sink.asOutputStream(response),
            Listener.socket(request),
            facts.getConnector().getScheduler(),
            pace,
            place,
            givenUp);
    return answer;
  }

  /** The endpoint has done what it could. */
  void ended() {
    if (answer != null) {
      answer.stop();
    }
  }
}
