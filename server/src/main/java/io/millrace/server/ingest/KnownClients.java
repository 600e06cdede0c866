package io.millrace.server.ingest;

import io.millrace.pulse.StateFile;
import io.millrace.server.access.AccessToken;
import io.millrace.wire.record.Senders;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clients and the numbers of their logged frames. The number of clients is limited.
 *
 * <p>A client is identified by its name and its owner: the key of a token, the holders of the
 * shared token, or an address. At the limit, a new client evicts the longest idle client of the
 * same owner, if the owner has more than its share, or else of another owner that has. Clients idle
 * for a week are evicted.
 *
 * <p>Saved periodically with log offsets. A start reads the file, and then the log from these
 * offsets, where each value lists its clients and frames. So no frame needs a disk write. Without
 * the file, the last ten minutes of the log are read.
 *
 * <p>Thread-safe.
 */
final class KnownClients {
  private static final Logger LOG = LoggerFactory.getLogger(KnownClients.class);
  private static final int FAMILY = ('M' << 24) | ('R' << 16) | ('C' << 8);
  private static final int VERSION = 1;

  /** Greatest plausible frame number; higher numbers in the log are ignored. */
  private static final long MAX_FRAME = 1L << 62;

  private static final Duration WITHOUT_FILE = Duration.ofMinutes(10);
  private static final Duration IDLE_TIMEOUT = Duration.ofDays(7);

  /** Separates owner and name, and precedes a digest; occurs in neither. */
  private static final char SEPARATOR = '\n';

  private final int partitions;
  private final int maxClients;

  /** By owner, then by id in the log. */
  private final Map<String, Map<String, ClientFrames>> owners =
      new LinkedHashMap<>(16, 0.75f, true);

  private int size;
  private long[] nextOffsets;
  private volatile boolean isChanged;

  KnownClients(int partitions, int maxClients) {
    this.partitions = partitions;
    this.maxClients = maxClients;
    nextOffsets = new long[partitions];
  }

  /** Finds or adds a client; {@code owner} is empty for the holders of the shared token. */
  ClientFrames client(String owner, String name) {
    return client(id(owner, name));
  }

  /** Id in the log: the name, prefixed by the owner unless that is empty. */
  static String id(String owner, String name) {
    if (owner.isEmpty()) {
      return name;
    }
    String id = owner + SEPARATOR + name;
    byte[] utf8 = id.getBytes(StandardCharsets.UTF_8);
    return utf8.length <= Senders.MAX_CLIENT_BYTES
        ? id
        : SEPARATOR + HexFormat.of().formatHex(AccessToken.digest(id));
  }

  private static String ownerOf(String id) {
    return id.substring(0, Math.max(0, id.indexOf(SEPARATOR)));
  }

  private synchronized ClientFrames client(String id) {
    String owner = ownerOf(id);
    Map<String, ClientFrames> known = owners.get(owner);
    ClientFrames client = known == null ? null : known.get(id);
    if (client == null) {
      if (size >= maxClients) {
        evictOne(owner);
      }
      client = new ClientFrames(id, partitions);
      var unused =
          owners
              .computeIfAbsent(owner, none -> new LinkedHashMap<>(16, 0.75f, true))
              .put(id, client);
      size++;
    }
    client.touch(System.nanoTime());
    return client;
  }

  ClientFrames nameless() {
    return new ClientFrames(null, partitions);
  }

  /** Evicts the longest idle client of this owner, or else of an owner that exceeds its share. */
  private void evictOne(String owner) {
    int share = size / (owners.size() + 1);
    Map<String, ClientFrames> own = owners.getOrDefault(owner, Map.of());
    if (own.size() > share && evict(own, 1, ClientFrames::isIdle)) {
      return;
    }
    Iterator<Map<String, ClientFrames>> others = owners.values().iterator();
    while (others.hasNext()) {
      Map<String, ClientFrames> other = others.next();
      if (other.size() > share && evict(other, 1, ClientFrames::isIdle)) {
        if (other.isEmpty()) {
          others.remove();
        }
        return;
      }
    }
  }

  private boolean evict(Map<String, ClientFrames> known, int max, Predicate<ClientFrames> which) {
    int count = 0;
    Iterator<ClientFrames> oldest = known.values().iterator();
    while (count < max && oldest.hasNext()) {
      if (which.test(oldest.next())) {
        oldest.remove();
        count++;
      }
    }
    size -= count;
    return count > 0;
  }

  synchronized void evictIdle(long nanoTime) {
    long oldestContact = nanoTime - IDLE_TIMEOUT.toNanos();
    owners
        .values()
        .removeIf(
            known -> {
              var unused =
                  evict(
                      known,
                      Integer.MAX_VALUE,
                      client -> client.isIdle() && client.lastContactNanos() - oldestContact < 0);
              return known.isEmpty();
            });
  }

  void restore(String id, int partition, long frame) {
    if (frame <= MAX_FRAME) {
      client(id).restore(partition, frame);
    }
  }

  /**
   * Resets taken frames to logged ones after a lane has failed, when nothing is in flight to its
   * partition.
   */
  synchronized void resetTaken(int partition) {
    all().forEach(client -> client.restore(partition, 0));
  }

  private synchronized List<ClientFrames> all() {
    List<ClientFrames> all = new ArrayList<>(size);
    owners.values().forEach(known -> all.addAll(known.values()));
    return all;
  }

  synchronized int size() {
    return size;
  }

  long nextOffset(int partition) {
    return nextOffsets[partition];
  }

  void changed() {
    isChanged = true;
  }

  void restore(Path file, LogEnd log, long nowMicros) throws IOException {
    boolean isThere = read(file);
    long[] until = log.end();
    long[] from = isThere ? nextOffsets : log.at(nowMicros - WITHOUT_FILE.toNanos() / 1_000);
    for (int partition = 0; partition < partitions; partition++) {
      if (from[partition] < until[partition]) {
        log.read(partition, from[partition], until[partition], this::restore);
      }
    }
    nextOffsets = until;
  }

  private boolean read(Path file) throws IOException {
    StateFile saved = new StateFile(file);
    Optional<byte[]> state;
    try {
      state = saved.read();
    } catch (StateFile.DamagedException e) {
      LOG.warn(
          "{}; moved to {}: frames first sent more than {} min ago will be"
              + " stored twice if clients resend them",
          e.getMessage(),
          saved.damaged(),
          WITHOUT_FILE.toMinutes());
      saved.setAside();
      return false;
    }
    if (state.isEmpty()) {
      return false;
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(state.get()))) {
      if (in.readInt() != (FAMILY | VERSION)) {
        throw new IOException(
            file + ": not a file of clients' frame numbers, or written by another release");
      }
      if (in.readInt() != partitions) {
        LOG.warn(
            "{}: the number of partitions has changed; reading the end of the log instead", file);
        return false;
      }
      for (int partition = 0; partition < partitions; partition++) {
        nextOffsets[partition] = in.readLong();
      }
      for (int left = in.readInt(); left > 0; left--) {
        String id = in.readUTF();
        for (int partition = 0; partition < partitions; partition++) {
          restore(id, partition, in.readLong());
        }
      }
      return true;
    }
  }

  void save(Path file, long[] next) throws IOException {
    if (!isChanged) {
      return;
    }
    isChanged = false; // reset before reading, so that later changes are saved next time
    try {
      write(file, next);
    } catch (IOException e) {
      isChanged = true;
      throw e;
    }
  }

  private void write(Path file, long[] next) throws IOException {
    List<ClientFrames> all = all();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(FAMILY | VERSION);
      out.writeInt(partitions);
      for (long offset : next) {
        out.writeLong(offset);
      }
      out.writeInt(all.size());
      for (ClientFrames client : all) {
        out.writeUTF(client.id());
        for (int partition = 0; partition < partitions; partition++) {
          out.writeLong(client.logged(partition));
        }
      }
    }
    new StateFile(file).write(bytes.toByteArray());
  }
}
