package io.millrace.server.ingest;

import java.util.ArrayList;
import java.util.List;

/**
 * A log value: filled by many requests and frames under the lane's lock, then sealed and owned by
 * the sending thread.
 */
abstract class LogValue {
  /** Header, fingerprint and the client added last. */
  static final int MOST_FRAMING_BYTES = 512;

  private final int partition;
  private final int kind;
  private final List<Receipt> receipts = new ArrayList<>();
  private final List<ClientFrames> clients = new ArrayList<>();
  private long[] frames = new long[0];
  private byte[] bytes;
  private int clientBytes;

  LogValue(int partition, int kind) {
    this.partition = partition;
    this.kind = kind;
  }

  final int kind() {
    return kind;
  }

  abstract void add(Decoding decoded, int row);

  abstract int records();

  abstract int recordBytes();

  /** Common key of all records; null if they differ. */
  abstract byte[] key();

  /** Adds a client's last frame, in {@link #write}. */
  abstract void addSender(byte[] client, long frame);

  abstract byte[] write();

  final void add(Receipt receipt) {
    receipts.add(receipt);
  }

  final void add(ClientFrames client) {
    clients.add(client);
    clientBytes += client.id() == null ? 0 : 1 + client.utf8().length + Long.BYTES;
  }

  final int length() {
    return recordBytes() + clientBytes;
  }

  final void seal() {
    frames = new long[clients.size()];
    for (int i = 0; i < frames.length; i++) {
      ClientFrames client = clients.get(i);
      frames[i] = client.taken(partition);
      client.open[partition] = null;
    }
  }

  /** Serialized once. */
  final byte[] bytes() {
    if (bytes == null) {
      for (int i = 0; i < frames.length; i++) {
        if (clients.get(i).id() != null) {
          addSender(clients.get(i).utf8(), frames[i]);
        }
      }
      bytes = write();
    }
    return bytes;
  }

  /** Must be cheap: runs on the log's completion thread. */
  final void logged() {
    for (int i = 0; i < frames.length; i++) {
      clients.get(i).log(partition, frames[i]);
    }
  }

  final void notifyLogged() {
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

  /** The value's outcome is unknown, or it was rejected. */
  final void notifyFailed(Exception cause) {
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
