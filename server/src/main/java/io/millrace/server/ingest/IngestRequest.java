package io.millrace.server.ingest;

import io.millrace.server.api.RestOfBody;
import io.millrace.wire.record.RecordEncoding;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;

/**
 * A request with records. Reads the body asynchronously, decodes it, adds the records to the lanes,
 * and responds when they are logged. Blocks no thread.
 */
final class IngestRequest extends Completion implements Invocable.Task {
  private static final HttpField JSON =
      new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, "application/json");
  private static final int FIRST_BYTES = 512;

  private final Ingest ingest;
  private final Request request;
  private final Response response;
  private final Callback callback;
  private final IngestTokens.Sender sender;
  private final Object holder; // key of the sender's memory share
  private final BodyReader reader;
  private final RecordEncoding encoding;
  private final boolean isGzipped;
  private final boolean isPartial;
  private byte[] body = new byte[0];
  private int length;
  private long held;
  private long accepted;
  private Map<String, Object> partly; // response with rejected records; null if there are none

  IngestRequest(
      Ingest ingest,
      Request request,
      Response response,
      Callback callback,
      IngestTokens.Sender sender,
      BodyReader reader,
      RecordEncoding encoding,
      boolean isGzipped,
      boolean isPartial) {
    this.ingest = ingest;
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.sender = sender;
    holder = Ingest.senderOf(sender, request);
    this.reader = reader;
    this.encoding = encoding;
    this.isGzipped = isGzipped;
    this.isPartial = isPartial;
    ingest.counts().openRequests.incrementAndGet();
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  /** Reads the available part of the body. */
  @Override
  public void run() {
    while (true) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(this);
        return;
      }
      if (Content.Chunk.isFailure(chunk)) {
        releaseMemory();
        callback.failed(chunk.getFailure());
        ingest.counts().openRequests.decrementAndGet();
        return;
      }
      IngestRejection rejection = add(chunk.getByteBuffer());
      boolean isLast = chunk.isLast();
      chunk.release();
      if (rejection != null) {
        releaseMemory();
        RestOfBody.skip(request, () -> reject(rejection));
        return;
      }
      if (isLast) {
        take();
        return;
      }
    }
  }

  private void reject(IngestRejection rejection) {
    ingest.counts().reject(rejection, holder);
    if (rejection == IngestRejection.SIZE) {
      fail(413, "body exceeds " + ingest.config().maxBodyBytes() + " bytes (ingest.max-body)");
    } else {
      fail(429, IngestResponses.NO_SHARE);
    }
  }

  /** Buffers a part of the body; returns why it cannot, or null. */
  private IngestRejection add(ByteBuffer more) {
    int count = more.remaining();
    int max = ingest.config().maxBodyBytes();
    if (count > max - length) {
      return IngestRejection.SIZE;
    }
    if (length + count > body.length) {
      long announced = Math.min(request.getLength(), max);
      int capacity = grown(length + count, max);
      // Content-Length is trusted only up to a bound.
      if (announced >= length + count && announced <= 1 << 16) {
        capacity = (int) announced;
      }
      if (!hold(capacity - body.length)) {
        return IngestRejection.MEMORY;
      }
      body = Arrays.copyOf(body, capacity);
    }
    more.get(body, length, count);
    length += count;
    return null;
  }

  private int grown(int min, int max) {
    return Math.min(max, Math.max(min, length == 0 ? FIRST_BYTES : body.length * 2));
  }

  private boolean hold(int bytes) {
    boolean isHeld = ingest.lanes().room().hold(holder, bytes);
    held += isHeld ? bytes : 0;
    return isHeld;
  }

  private void releaseMemory() {
    ingest.lanes().room().giveBack(holder, held);
    held = 0;
    body = null;
  }

  private void take() {
    if (isGzipped && !inflate()) {
      return;
    }
    if (length == 0) {
      fail(400, "empty body; expected one or more records");
      return;
    }
    DecodedRecords decoded =
        reader.decode(encoding, body, 0, length, ingest.config().maxBodyBytes());
    take(decoded);
    decoded.release();
  }

  private void take(DecodedRecords decoded) {
    ingest.counts().recordsRead.add(decoded.rows() + decoded.errors().count());
    ingest.counts().recordsInvalid.add(decoded.errors().count());
    if (decoded.errors().isOversized() || !ingest.lanes().fits(decoded)) {
      ingest.counts().reject(IngestRejection.SIZE, holder);
      fail(413, Map.of("error", IngestResponses.tooLarge(decoded.errors(), ingest.config())));
      return;
    }
    if (!decoded.errors().isEmpty()) {
      if (!isPartial || decoded.rows() == 0) {
        fail(400, Map.of("error", IngestResponses.invalid(400, decoded.errors())));
        return;
      }
      partly = IngestResponses.partly(decoded.rows(), decoded.errors());
    }
    Map<String, Object> foreign = ingest.foreign(sender, decoded);
    if (foreign != null) {
      fail(403, Map.of("error", foreign));
      return;
    }
    ingest.count(sender, request, decoded.rows());
    accepted = decoded.rows();
    var unused = ingest.lanes().add(decoded, this, null, 0);
    releaseMemory();
    logged(); // all parts are added
  }

  /** Decompresses the body; false after a failure, which was reported to the client. */
  private boolean inflate() {
    int max = ingest.config().maxBodyBytes();
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body, 0, length))) {
      body = new byte[0];
      length = 0;
      for (int read; (read = in.read()) >= 0; ) {
        IngestRejection rejection = roomForMore(max);
        if (rejection != null) {
          reject(rejection);
          return false;
        }
        body[length++] = (byte) read;
        length += in.readNBytes(body, length, body.length - length);
      }
      return true;
    } catch (IOException e) {
      fail(400, "invalid or truncated gzip body: " + e.getMessage());
      return false;
    }
  }

  /** Enlarges the buffer; returns why it cannot, or null. */
  private IngestRejection roomForMore(int max) {
    if (length == max) {
      return IngestRejection.SIZE;
    }
    int capacity = grown(length + 1, max);
    if (!hold(capacity - body.length)) {
      return IngestRejection.MEMORY;
    }
    body = Arrays.copyOf(body, capacity);
    return null;
  }

  @Override
  void settled(Exception failure) {
    if (failure != null) {
      fail(
          503,
          "the log timed out; some records may be in it: resend them, a record"
              + " received twice counts once");
    } else if (partly != null) {
      respond(202, IngestResponses.bytes(partly));
    } else {
      respond(202, IngestResponses.accepted(accepted));
    }
  }

  private void fail(int status, String message) {
    releaseMemory();
    IngestResponses.fail(response, callback, status, IngestResponses.error(status, message));
    ingest.counts().openRequests.decrementAndGet();
  }

  private void fail(int status, Map<String, Object> body) {
    releaseMemory();
    IngestResponses.fail(response, callback, status, IngestResponses.bytes(body));
    ingest.counts().openRequests.decrementAndGet();
  }

  private void respond(int status, byte[] json) {
    response.setStatus(status);
    response.getHeaders().put(JSON);
    response.write(true, ByteBuffer.wrap(json), callback);
    ingest.counts().openRequests.decrementAndGet();
  }
}
