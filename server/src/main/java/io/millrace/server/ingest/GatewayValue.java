package io.millrace.server.ingest;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.gateway.GatewayBatch;
import io.millrace.wire.gateway.GatewayEncoder;
import io.millrace.wire.record.RecordEncoding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One value for a partition: filled from many requests and frames, sealed, given to the log. Filled
 * under its lane's lock, then owned by the thread that sends it.
 */
final class GatewayValue {
  /** Header, fingerprint, and the client of the last frame that is added. */
  static final int MOST_FRAMING_BYTES = 512;

  private final int partition;
  private final RecordKind kind;
  private final GatewayBatch.Writer writer = new GatewayBatch.Writer();
  private final List<Receipt> receipts = new ArrayList<>();
  private final List<ClientFrames> clients = new ArrayList<>();
  private long[] frames = new long[0];
  private BlockBuffer anew;
  private byte[] key; // of the first record; null once there is another
  private byte[] bytes;
  private int clientBytes;

  GatewayValue(int partition, RecordKind kind, long arrivalMicros) {
    this.partition = partition;
    this.kind = kind;
    writer.begin(kind.encoding(), kind.byPath(), arrivalMicros, null, -1);
  }

  RecordKind kind() {
    return kind;
  }

  /** Adds a row of a block that was decoded from {@code source}. */
  void add(GatewayBlock block, int row, byte[] source) {
    int start = block.sourceStart(row);
    if (start != GatewayBlock.NOWHERE) {
      writer.add(source, start, block.sourceEnd(row) - start);
    } else {
      addAnew(block, row);
    }
    byte[] ids = block.gateways().bytes();
    int id = block.gateways().start(row);
    int end = id + block.gateways().length(row);
    if (writer.count() == 1) {
      key = Arrays.copyOfRange(ids, id, end);
    } else if (key != null && !Arrays.equals(key, 0, key.length, ids, id, end)) {
      key = null;
    }
  }

  /** A record of another version of the schema, or that was compressed. */
  private void addAnew(GatewayBlock block, int row) {
    if (anew == null) {
      anew = new BlockBuffer(1 << 10);
    }
    anew.clear();
    if (kind.encoding() == RecordEncoding.AVRO) {
      GatewayEncoder.datum(block, row, anew);
    } else {
      GatewayEncoder.json(block, row, true, anew);
    }
    writer.add(anew.bytes(), 0, anew.length());
  }

  void add(Receipt receipt) {
    receipts.add(receipt);
  }

  void add(ClientFrames client) {
    clients.add(client);
    clientBytes += client.id() == null ? 0 : 1 + client.utf8().length + Long.BYTES;
  }

  /** Bytes so far, the clients' among them. */
  int length() {
    return writer.length() + clientBytes;
  }

  int records() {
    return writer.count();
  }

  /** Nothing is added any more: what the clients' frames are now is what the value tells. */
  void seal() {
    frames = new long[clients.size()];
    for (int i = 0; i < frames.length; i++) {
      ClientFrames client = clients.get(i);
      frames[i] = client.taken(partition);
      client.open[partition] = null;
    }
  }

  /** The value for the log, made once. */
  byte[] bytes() {
    if (bytes == null) {
      for (int i = 0; i < frames.length; i++) {
        if (clients.get(i).id() != null) {
          writer.addSender(clients.get(i).utf8(), frames[i]);
        }
      }
      bytes = writer.toBytes();
    }
    return bytes;
  }

  /** The gateway, if all records are of one; else null. */
  byte[] key() {
    return key;
  }

  /** The log has the value. Cheap: called where the log's answers are read. */
  void logged() {
    for (int i = 0; i < frames.length; i++) {
      clients.get(i).log(partition, frames[i]);
    }
  }

  /** Tells all that wait. */
  void tellLogged() {
    for (Receipt receipt : receipts) {
      receipt.logged();
    }
    for (ClientFrames client : clients) {
      GatewaySocket socket = client.socket();
      if (socket != null) {
        socket.progress();
      }
    }
  }

  /** Tells all that wait that nobody knows whether the log has the value, or that it has not. */
  void tellFailed(Exception cause) {
    for (Receipt receipt : receipts) {
      receipt.failed(cause);
    }
    for (ClientFrames client : clients) {
      GatewaySocket socket = client.socket();
      if (socket != null) {
        socket.logFailed();
      }
    }
  }
}
