package io.millrace.server.ingest;

import io.millrace.wire.gateway.GatewayBatch;
import io.millrace.wire.gateway.GatewayForm;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.Senders;
import java.util.Optional;

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

  static BodyReader reader(Optional<GatewayForm> form, boolean isBackfill) {
    return (encoding, bytes, offset, length, maxUnpackedBytes) -> {
      GatewayDecoding decoded = GatewayDecoding.ofThread();
      RecordKind kind = RecordKind.of(encoding, form, isBackfill);
      decoded.decode(kind, bytes, offset, length, maxUnpackedBytes);
      return decoded;
    };
  }
}
