package io.millrace.server.ingest;

import io.millrace.server.api.RestOfBody;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.Senders;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.websocket.core.server.WebSocketMappings;

final class IngestHandler extends Handler.Abstract.NonBlocking {
  static final String STREAMS = "/ingest/";

  private static final String DESCRIPTION = STREAMS + "openapi.json";
  private static final String TO_SCHEMA = "/schema";
  private static final String TO_SOCKET = "/ws";
  private static final String PARTIAL = "partial";

  private static final Map<String, RecordEncoding> MEDIA_TYPES =
      Map.of(
          "application/json", RecordEncoding.JSON,
          "application/x-ndjson", RecordEncoding.JSON,
          "application/ndjson", RecordEncoding.JSON,
          "application/jsonl", RecordEncoding.JSON,
          "application/x-www-form-urlencoded", RecordEncoding.JSON, // default of curl -d
          "application/avro", RecordEncoding.AVRO,
          "application/vnd.apache.avro", RecordEncoding.AVRO,
          "avro/binary", RecordEncoding.AVRO);
  private static final Set<String> ENCODINGS = Set.of("gzip", "x-gzip", "identity");

  private static final String UNAUTHORIZED =
      "missing or wrong token; send Authorization: Bearer TOKEN";

  record Stream(Ingest ingest, String avro) {
    RecordSchema schema() {
      return ingest.format().schema();
    }
  }

  private final IngestTokens tokens;
  private final IngestCounts counts;
  private final Map<String, Stream> streams;
  private final byte[] description;
  private final WebSocketMappings sockets;
  private final RecordSockets open;

  IngestHandler(
      IngestTokens tokens,
      IngestCounts counts,
      Map<String, Stream> streams,
      byte[] description,
      WebSocketMappings sockets,
      RecordSockets open) {
    this.tokens = tokens;
    this.counts = counts;
    this.streams = streams;
    this.description = description;
    this.sockets = sockets;
    this.open = open;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    try {
      dispatch(request, response, callback);
    } catch (Rejection rejection) {
      countsOf(request).reject(rejection.reason(), Ingest.addressOf(request));
      reject(request, response, callback, rejection);
    }
    return true;
  }

  /** Rejects a request; of unauthenticated senders, reads only short bodies. */
  private static void reject(
      Request request, Response response, Callback callback, Rejection rejection) {
    byte[] error = IngestResponses.error(rejection.status, rejection.getMessage());
    Runnable respond =
        () -> IngestResponses.fail(response, callback, rejection.status, error, rejection.header);
    if (rejection.status == 401) {
      RestOfBody.skipShort(request, respond);
    } else {
      RestOfBody.skip(request, respond);
    }
  }

  /** Rejection of a request. Has no stack trace, because faulty senders cause many. */
  private static final class Rejection extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;
    private final transient HttpField header; // null for none

    Rejection(int status, String message) {
      this(status, message, null);
    }

    IngestRejection reason() {
      return switch (status) {
        case 401, 403 -> IngestRejection.TOKEN;
        case 413 -> IngestRejection.SIZE;
        case 429 -> IngestRejection.RATE;
        case 503 -> IngestRejection.LOG;
        default -> IngestRejection.REQUEST;
      };
    }

    Rejection(int status, String message, HttpField header) {
      super(message, null, false, false);
      this.status = status;
      this.header = header;
    }
  }

  private void dispatch(Request request, Response response, Callback callback) throws Rejection {
    String path = Request.getPathInContext(request);
    if (path.equals(DESCRIPTION)) {
      require(request, "GET");
      respond(response, callback, description);
      return;
    }
    IngestTokens.Sender sender = tokens.sender(request.getHeaders().get(HttpHeader.AUTHORIZATION));
    if (!sender.isAllowed()) {
      throw new Rejection(401, UNAUTHORIZED);
    }
    String name = path.startsWith(STREAMS) ? nameIn(path.substring(STREAMS.length())) : "";
    Stream stream = streams.get(name);
    String rest = stream == null ? "" : path.substring(STREAMS.length() + name.length());
    if (stream == null || !(rest.isEmpty() || rest.equals(TO_SCHEMA) || rest.equals(TO_SOCKET))) {
      throw new Rejection(
          404,
          "unknown path %s; %s"
              .formatted(
                  path,
                  streams.isEmpty()
                      ? "no enabled pipeline declares a stream"
                      : "send records to /ingest/STREAM; for STREAM expected one of "
                          + streams.keySet().stream().sorted().collect(Collectors.joining(", "))));
    }
    require(request, rest.isEmpty() ? "POST" : "GET");
    if (rest.equals(TO_SCHEMA)) {
      respond(response, callback, stream.avro().getBytes(StandardCharsets.UTF_8));
    } else if (!sender.maySendTo(name)) {
      throw new Rejection(403, "the token is restricted to records of another stream than " + name);
    } else if (rest.equals(TO_SOCKET)) {
      upgrade(stream.ingest(), request, response, callback, sender);
    } else {
      take(stream.ingest(), request, response, callback, sender);
    }
  }

  private static String nameIn(String path) {
    int end = path.indexOf('/');
    return end < 0 ? path : path.substring(0, end);
  }

  private IngestCounts countsOf(Request request) {
    String path = Request.getPathInContext(request);
    Stream stream =
        path.startsWith(STREAMS) ? streams.get(nameIn(path.substring(STREAMS.length()))) : null;
    return stream == null ? counts : stream.ingest().counts();
  }

  private static void take(
      Ingest ingest,
      Request request,
      Response response,
      Callback callback,
      IngestTokens.Sender sender)
      throws Rejection {
    HttpFields headers = request.getHeaders();
    RecordEncoding encoding = encoding(headers);
    boolean isGzipped = isGzipped(headers);
    if (request.getLength() > ingest.config().maxBodyBytes()) {
      throw new Rejection(
          413, "body exceeds %d bytes (ingest.max-body)".formatted(ingest.config().maxBodyBytes()));
    }
    rejectFastOrFull(ingest, sender, request);
    boolean isPartial = false;
    RecordAttributes attributes = RecordAttributes.NONE;
    if (request.getHttpURI().getQuery() != null) {
      Fields parameters = Request.extractQueryParameters(request);
      isPartial = isTrue(parameters, PARTIAL);
      attributes = attributes(ingest, parameters);
    }
    ingest.counts().requests.increment();
    new IngestRequest(
            ingest,
            request,
            response,
            callback,
            sender,
            new BodyReader(ingest.format(), attributes),
            encoding,
            isGzipped,
            isPartial)
        .run();
  }

  private static RecordAttributes attributes(Ingest ingest, Fields parameters) throws Rejection {
    try {
      return ingest.format().schema().attributes(parameters::getValue);
    } catch (IllegalArgumentException e) {
      throw new Rejection(400, e.getMessage());
    }
  }

  private static void require(Request request, String method) throws Rejection {
    if (!request.getMethod().equals(method)) {
      throw new Rejection(
          405,
          "method " + request.getMethod() + " not allowed; use " + method,
          new HttpField(HttpHeader.ALLOW, method));
    }
  }

  private static boolean isTrue(Fields parameters, String name) throws Rejection {
    String value = parameters.getValue(name);
    if (value == null || value.equals("false")) {
      return false;
    }
    if (value.equals("true")) {
      return true;
    }
    throw new Rejection(400, name + ": " + value + ": expected true or false");
  }

  /** Encoding of the records; JSON by default. */
  private static RecordEncoding encoding(HttpFields headers) throws Rejection {
    HttpField field = headers.getField(HttpHeader.CONTENT_TYPE);
    if (field == null) {
      return RecordEncoding.JSON;
    }
    String type = field.getValue();
    RecordEncoding encoding = MEDIA_TYPES.get(type);
    if (encoding == null) {
      int end = type.indexOf(';');
      String bare = (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
      encoding = MEDIA_TYPES.get(bare);
    }
    if (encoding == null) {
      throw new Rejection(
          415,
          "Content-Type: "
              + type
              + ": unsupported Content-Type; expected application/json, application/x-ndjson or application/avro");
    }
    return encoding;
  }

  private static boolean isGzipped(HttpFields headers) throws Rejection {
    String encoding = headers.get(HttpHeader.CONTENT_ENCODING);
    if (encoding == null) {
      return false;
    }
    String lower = encoding.toLowerCase(Locale.ROOT);
    if (!ENCODINGS.contains(lower)) {
      throw new Rejection(415, "Content-Encoding: " + encoding + ": unsupported, expected gzip");
    }
    return !lower.equals("identity");
  }

  private static void rejectFastOrFull(Ingest ingest, IngestTokens.Sender sender, Request request)
      throws Rejection {
    if (!ingest.rate().isOff() && ingest.rate().waitNanos(Ingest.senderOf(sender, request)) > 0) {
      throw new Rejection(
          429,
          "more than %d records a second (ingest.max-rate); retry after a second"
              .formatted(ingest.config().maxRate()));
    }
    if (!ingest.lanes().hasRoom()) {
      throw new Rejection(
          503, "back-pressure: the log is slower than the senders; retry after a second");
    }
  }

  private static void respond(Response response, Callback callback, byte[] json) {
    response.setStatus(200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    response.write(true, ByteBuffer.wrap(json), callback);
  }

  private void upgrade(
      Ingest ingest,
      Request request,
      Response response,
      Callback callback,
      IngestTokens.Sender sender)
      throws Rejection {
    Fields parameters = Request.extractQueryParameters(request);
    String client = parameters.getValue("client");
    if (client != null
        && (client.isEmpty()
            || client.chars().anyMatch(Character::isISOControl)
            || client.getBytes(StandardCharsets.UTF_8).length > Senders.MAX_CLIENT_BYTES)) {
      throw new Rejection(400, "client: expected 1 to 255 bytes without control characters");
    }
    long first = first(parameters.getValue("frame"));
    boolean isPartial = isTrue(parameters, PARTIAL);
    if (!ingest.lanes().hasRoom()) {
      throw new Rejection(
          503, "back-pressure: the log is slower than the senders; retry after a second");
    }
    RecordSocket.Terms terms =
        new RecordSocket.Terms(
            client,
            Ingest.ownerOf(sender, request),
            first,
            new BodyReader(ingest.format(), attributes(ingest, parameters)),
            isPartial,
            sender,
            Ingest.senderOf(sender, request));
    boolean isUpgraded =
        sockets.upgrade(
            new SocketNegotiator(() -> new RecordSocket(ingest, open, terms)),
            request,
            response,
            callback,
            configuration -> {
              configuration.setAutoFragment(true); // otherwise Jetty buffers whole frames
              configuration.setIdleTimeout(Duration.ZERO); // RecordSockets checks it
            });
    if (!isUpgraded) {
      throw new Rejection(
          426,
          "expected a WebSocket handshake (RFC 6455, version 13)",
          new HttpField(HttpHeader.UPGRADE, "websocket"));
    }
  }

  private static long first(String frame) throws Rejection {
    if (frame == null) {
      return RecordSocket.Terms.NEXT;
    }
    try {
      long number = Long.parseLong(frame);
      if (number >= 1 && number <= RecordSocket.Terms.MAX_FIRST) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new Rejection(
        400,
        "frame: "
            + frame
            + ": invalid frame number, expected 1 to "
            + RecordSocket.Terms.MAX_FIRST);
  }
}
