package io.millrace.server.ingest;

import io.millrace.wire.gateway.GatewayBatch;
import io.millrace.wire.gateway.GatewayForm;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.Senders;
import java.util.Optional;

/** Records of gateways. */
final class GatewayFormat implements StreamFormat {
  @Override
  public String threads() {
    return "gateway";
  }

  @Override
  public int kinds() {
    return RecordKind.COUNT;
  }

  @Override
  public byte[] emptyValue(long arrivalMicros) {
    GatewayBatch.Writer empty = new GatewayBatch.Writer();
    RecordKind kind = RecordKind.of(RecordEncoding.JSON, Optional.empty());
    empty.begin(kind.encoding(), kind.byPath(), arrivalMicros, null, -1);
    return empty.toBytes();
  }

  @Override
  public void senders(byte[] value, Senders to) {
    GatewayBatch batch = GatewayBatch.wrap(value, value.length);
    if (batch.isSound()) {
      batch.senders(to);
    }
  }

  /** Reads records; {@code form} is that of records that do not say one. */
  static BodyReader reader(Optional<GatewayForm> form) {
    return (encoding, bytes, offset, length, maxUnpackedBytes) -> {
      GatewayDecoding decoded = GatewayDecoding.ofThread();
      decoded.decode(RecordKind.of(encoding, form), bytes, offset, length, maxUnpackedBytes);
      return decoded;
    };
  }
}
