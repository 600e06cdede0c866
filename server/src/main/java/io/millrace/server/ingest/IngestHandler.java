package io.millrace.server.ingest;

import io.millrace.server.api.RestOfBody;
import io.millrace.wire.gateway.GatewayForm;
import io.millrace.wire.gateway.GatewaySchema;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.Senders;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
  static final String PATH = "/v1/gateways";

  static final String STREAMS = "/ingest/";

  private static final String SCHEMA = PATH + "/schema";
  private static final String DESCRIPTION = PATH + "/openapi.yaml";
  private static final String STREAMS_DESCRIPTION = STREAMS + "openapi.json";
  private static final String TO_SCHEMA = "/schema";
  private static final String TO_SOCKET = "/ws";
  private static final String FORM = "form";
  private static final String PARTIAL = "partial";
  private static final String BACKFILL = "backfill";

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

  record Stream(Ingest ingest, RecordFormat format, String schema) {}

  private final Ingest gateways;
  private final Map<String, Stream> streams;
  private final byte[] streamsDescription;
  private final WebSocketMappings sockets;
  private final GatewaySockets open;
  private final byte[] schema = GatewaySchema.text().getBytes(StandardCharsets.UTF_8);
  private final byte[] description;

  IngestHandler(
      Ingest gateways,
      Map<String, Stream> streams,
      byte[] streamsDescription,
      WebSocketMappings sockets,
      GatewaySockets open) {
    this.gateways = gateways;
    this.streams = streams;
    this.streamsDescription = streamsDescription;
    this.sockets = sockets;
    this.open = open;
    try (InputStream in = IngestHandler.class.getResourceAsStream("openapi.yaml")) {
      description = in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    try {
      answer(request, response, callback);
    } catch (Refusal refusal) {
      ingestOf(request).counts().refuse(refusal.reason(), Ingest.addressOf(request));
      refuse(request, response, callback, refusal);
    }
    return true;
  }

  /** Reads only short bodies of unauthenticated senders. */
  private static void refuse(
      Request request, Response response, Callback callback, Refusal refusal) {
    byte[] error = Answers.error(refusal.status, refusal.getMessage());
    Runnable answer = () -> Answers.fail(response, callback, refusal.status, error, refusal.header);
    if (refusal.status == 401) {
      RestOfBody.skipShort(request, answer);
    } else {
      RestOfBody.skip(request, answer);
    }
  }

  /** A rejected request. Frequent with faulty senders, so without a stack trace. */
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;
    private final transient HttpField header; // null for none

    Refusal(int status, String message) {
      this(status, message, null);
    }

    IngestRefusal reason() {
      return switch (status) {
        case 401, 403 -> IngestRefusal.TOKEN;
        case 413 -> IngestRefusal.SIZE;
        case 429 -> IngestRefusal.RATE;
        case 503 -> IngestRefusal.LOG;
        default -> IngestRefusal.REQUEST;
      };
    }

    Refusal(int status, String message, HttpField header) {
      super(message, null, false, false);
      this.status = status;
      this.header = header;
    }
  }

  private void answer(Request request, Response response, Callback callback) throws Refusal {
    String path = Request.getPathInContext(request);
    if (path.equals(SCHEMA)) {
      require(request, "GET");
      answer(response, callback, "application/json", schema);
      return;
    }
    if (path.equals(DESCRIPTION)) {
      require(request, "GET");
      answer(response, callback, "application/yaml", description);
      return;
    }
    if (path.equals(STREAMS_DESCRIPTION)) {
      require(request, "GET");
      answer(response, callback, "application/json", streamsDescription);
      return;
    }
    IngestTokens.Sender sender =
        gateways.tokens().sender(request.getHeaders().get(HttpHeader.AUTHORIZATION));
    if (!sender.isAllowed()) {
      throw new Refusal(401, UNAUTHORIZED);
    }
    if (path.startsWith(STREAMS)) {
      answerStream(path.substring(STREAMS.length()), request, response, callback, sender);
    } else if (path.equals(PATH + TO_SOCKET)) {
      require(request, "GET");
      Fields parameters = Request.extractQueryParameters(request);
      BodyReader reader = GatewayFormat.reader(form(parameters), isTrue(parameters, BACKFILL));
      upgrade(gateways, reader, parameters, request, response, callback, sender);
    } else {
      Optional<GatewayForm> form = formOfPath(path);
      take(gateways, form, null, request, response, callback, sender);
    }
  }

  private void answerStream(
      String path,
      Request request,
      Response response,
      Callback callback,
      IngestTokens.Sender sender)
      throws Refusal {
    Stream stream = streams.get(nameIn(path));
    String rest = path.substring(nameIn(path).length());
    if (stream == null || !(rest.isEmpty() || rest.equals(TO_SCHEMA) || rest.equals(TO_SOCKET))) {
      throw new Refusal(
          404,
          "unknown path %s%s; %s"
              .formatted(
                  STREAMS,
                  path,
                  streams.isEmpty()
                      ? "no enabled pipeline declares a stream"
                      : "expected one of "
                          + streams.keySet().stream().sorted().collect(Collectors.joining(", "))));
    }
    require(request, rest.isEmpty() ? "POST" : "GET");
    if (rest.equals(TO_SCHEMA)) {
      byte[] avro = stream.schema().getBytes(StandardCharsets.UTF_8);
      answer(response, callback, "application/json", avro);
    } else if (sender.gateway() != null) {
      throw new Refusal(403, "the token is restricted to records of gateway " + sender);
    } else if (rest.equals(TO_SOCKET)) {
      Fields parameters = Request.extractQueryParameters(request);
      upgrade(stream.ingest(), stream.format(), parameters, request, response, callback, sender);
    } else {
      take(stream.ingest(), Optional.empty(), stream.format(), request, response, callback, sender);
    }
  }

  private static String nameIn(String path) {
    int end = path.indexOf('/');
    return end < 0 ? path : path.substring(0, end);
  }

  /** Stream of a path; unknown paths count as the gateways'. */
  private Ingest ingestOf(Request request) {
    String path = Request.getPathInContext(request);
    Stream stream =
        path.startsWith(STREAMS) ? streams.get(nameIn(path.substring(STREAMS.length()))) : null;
    return stream == null ? gateways : stream.ingest();
  }

  private static void take(
      Ingest ingest,
      Optional<GatewayForm> formOfPath,
      BodyReader reader,
      Request request,
      Response response,
      Callback callback,
      IngestTokens.Sender sender)
      throws Refusal {
    require(request, "POST");
    HttpFields headers = request.getHeaders();
    RecordEncoding encoding = encoding(headers);
    boolean isGzipped = isGzipped(headers);
    if (request.getLength() > ingest.config().maxBodyBytes()) {
      throw new Refusal(
          413, "body exceeds %d bytes (ingest.max-body)".formatted(ingest.config().maxBodyBytes()));
    }
    refuseFastOrFull(ingest, sender, request);
    boolean isPartial = false;
    boolean isBackfill = false;
    Optional<GatewayForm> form = formOfPath;
    if (request.getHttpURI().getQuery() != null) {
      Fields parameters = Request.extractQueryParameters(request);
      isPartial = isTrue(parameters, PARTIAL);
      isBackfill = reader == null && isTrue(parameters, BACKFILL);
      if (reader == null && form.isEmpty()) {
        form = form(parameters);
      }
    }
    ingest.counts().requests.increment();
    new IngestRequest(
            ingest,
            request,
            response,
            callback,
            sender,
            reader == null ? GatewayFormat.reader(form, isBackfill) : reader,
            encoding,
            isGzipped,
            isPartial)
        .run();
  }

  private static void require(Request request, String method) throws Refusal {
    if (!request.getMethod().equals(method)) {
      throw new Refusal(
          405,
          "method " + request.getMethod() + " not allowed; use " + method,
          new HttpField(HttpHeader.ALLOW, method));
    }
  }

  private static Optional<GatewayForm> formOfPath(String path) throws Refusal {
    if (path.equals(PATH)) {
      return Optional.empty();
    }
    if (path.startsWith(PATH + "/")) {
      Optional<GatewayForm> form = GatewayForm.labelled(path.substring(PATH.length() + 1));
      if (form.isPresent()) {
        return form;
      }
    }
    throw new Refusal(
        404,
        "unknown path %s; send records to %s, or %s/counter, /cumulative or /rate"
            .formatted(path, PATH, PATH));
  }

  private static Optional<GatewayForm> form(Fields parameters) throws Refusal {
    String label = parameters.getValue(FORM);
    if (label == null) {
      return Optional.empty();
    }
    Optional<GatewayForm> form = GatewayForm.labelled(label);
    if (form.isEmpty()) {
      throw new Refusal(400, "form: " + label + ": expected counter, cumulative or rate");
    }
    return form;
  }

  private static boolean isTrue(Fields parameters, String name) throws Refusal {
    String value = parameters.getValue(name);
    if (value == null || value.equals("false")) {
      return false;
    }
    if (value.equals("true")) {
      return true;
    }
    throw new Refusal(400, name + ": " + value + ": expected true or false");
  }

  /** Default JSON. */
  private static RecordEncoding encoding(HttpFields headers) throws Refusal {
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
      throw new Refusal(
          415,
          "Content-Type: "
              + type
              + ": unsupported Content-Type; expected application/json, application/x-ndjson or application/avro");
    }
    return encoding;
  }

  private static boolean isGzipped(HttpFields headers) throws Refusal {
    String encoding = headers.get(HttpHeader.CONTENT_ENCODING);
    if (encoding == null) {
      return false;
    }
    String lower = encoding.toLowerCase(Locale.ROOT);
    if (!ENCODINGS.contains(lower)) {
      throw new Refusal(415, "Content-Encoding: " + encoding + ": unsupported, expected gzip");
    }
    return !lower.equals("identity");
  }

  private static void refuseFastOrFull(Ingest ingest, IngestTokens.Sender sender, Request request)
      throws Refusal {
    if (!ingest.rate().isOff() && ingest.rate().waitNanos(Ingest.senderOf(sender, request)) > 0) {
      throw new Refusal(
          429,
          "more than %d records a second (ingest.max-rate); retry after a second"
              .formatted(ingest.config().maxRate()));
    }
    if (!ingest.lanes().hasRoom()) {
      throw new Refusal(
          503, "back-pressure: the log is slower than the senders; retry after a second");
    }
  }

  private static void answer(Response response, Callback callback, String mediaType, byte[] body) {
    response.setStatus(200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, mediaType);
    response.write(true, ByteBuffer.wrap(body), callback);
  }

  private void upgrade(
      Ingest ingest,
      BodyReader reader,
      Fields parameters,
      Request request,
      Response response,
      Callback callback,
      IngestTokens.Sender sender)
      throws Refusal {
    String client = parameters.getValue("client");
    if (client != null
        && (client.isEmpty()
            || client.chars().anyMatch(Character::isISOControl)
            || client.getBytes(StandardCharsets.UTF_8).length > Senders.MOST_CLIENT_BYTES)) {
      throw new Refusal(400, "client: expected 1 to 255 bytes without control characters");
    }
    long first = first(parameters.getValue("frame"));
    boolean isPartial = isTrue(parameters, PARTIAL);
    if (!ingest.lanes().hasRoom()) {
      throw new Refusal(
          503, "back-pressure: the log is slower than the senders; retry after a second");
    }
    GatewaySocket.Terms terms =
        new GatewaySocket.Terms(
            client,
            Ingest.ownerOf(sender, request),
            first,
            reader,
            isPartial,
            sender,
            Ingest.senderOf(sender, request));
    boolean isUpgraded =
        sockets.upgrade(
            new SocketNegotiator(() -> new GatewaySocket(ingest, open, terms)),
            request,
            response,
            callback,
            configuration -> {
              configuration.setAutoFragment(true); // else Jetty buffers a whole frame
              configuration.setIdleTimeout(Duration.ZERO); // GatewaySockets checks
            });
    if (!isUpgraded) {
      throw new Refusal(
          426,
          "expected a WebSocket handshake (RFC 6455, version 13)",
          new HttpField(HttpHeader.UPGRADE, "websocket"));
    }
  }

  private static long first(String frame) throws Refusal {
    if (frame == null) {
      return GatewaySocket.Terms.NEXT;
    }
    try {
      long number = Long.parseLong(frame);
      if (number >= 1 && number <= GatewaySocket.Terms.MOST_FIRST) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new Refusal(
        400,
        "frame: "
            + frame
            + ": invalid frame number, expected 1 to "
            + GatewaySocket.Terms.MOST_FIRST);
  }
}
