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
 * Which clients there are, and which of their frames are in the log: as many as are allowed, those
 * heard of last. Of a client that is forgotten, frames that it sends again are written again.
 *
 * <p>A client is known by its name and by whose name that is: its owner, the gateway of a token,
 * the holders of the token for all, or an address. Where there are too many clients, an owner that
 * has more than its part of all pays for the next one, with those of its clients that were silent
 * for longest; what was silent for a week is forgotten in any case.
 *
 * <p>Saved now and then, together with the offsets that it knows of. A start reads the file and
 * then the log behind those offsets, where each value tells the clients and frames in it: so the
 * memory is as if the process had never been killed, without a write to disk for each frame.
 * Without the file the last ten minutes of the log are read.
 *
 * <p>Thread-safe.
 */
final class FrameMemory {
  private static final Logger LOG = LoggerFactory.getLogger(FrameMemory.class);
  private static final int FAMILY = ('M' << 24) | ('R' << 16) | ('C' << 8);
  private static final int VERSION = 1;

  /** No client has counted so far: what says more is not believed. */
  private static final long MOST_FRAME = 1L << 62;

  private static final Duration WITHOUT_FILE = Duration.ofMinutes(10);
  private static final Duration FORGET = Duration.ofDays(7);

  /** Between owner and name, and in front of a digest: in neither of the two. */
  private static final char SEPARATOR = '\n';

  private final int partitions;
  private final int maxClients;

  /** By owner and then by what the client is called in the log. */
  private final Map<String, Map<String, ClientFrames>> owners =
      new LinkedHashMap<>(16, 0.75f, true);

  private int size;
  private long[] nextOffsets;
  private volatile boolean isChanged;

  FrameMemory(int partitions, int maxClients) {
    this.partitions = partitions;
    this.maxClients = maxClients;
    nextOffsets = new long[partitions];
  }

  /**
   * What is known of a client; nothing yet, if it is heard of for the first time.
   *
   * @param owner whose name it is; empty for the holders of the token for all
   */
  ClientFrames client(String owner, String name) {
    return client(id(owner, name));
  }

  /** What a client is called in the log: its name, behind its owner where it has one. */
  static String id(String owner, String name) {
    if (owner.isEmpty()) {
      return name;
    }
    String id = owner + SEPARATOR + name;
    byte[] utf8 = id.getBytes(StandardCharsets.UTF_8);
    return utf8.length <= Senders.MOST_CLIENT_BYTES
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
        forgetOne(owner);
      }
      client = new ClientFrames(id, partitions);
      var unused =
          owners
              .computeIfAbsent(owner, none -> new LinkedHashMap<>(16, 0.75f, true))
              .put(id, client);
      size++;
    }
    client.hear(System.nanoTime());
    return client;
  }

  /** A client without a name: nothing is remembered of it. */
  ClientFrames nameless() {
    return new ClientFrames(null, partitions);
  }

  /**
   * Makes room for a client of that owner, if one can be forgotten: the one that was silent for
   * longest, of the owner itself or else of another one that has more than its part.
   */
  private void forgetOne(String owner) {
    int part = size / (owners.size() + 1);
    Map<String, ClientFrames> own = owners.getOrDefault(owner, Map.of());
    if (own.size() > part && forget(own, 1, ClientFrames::isIdle)) {
      return;
    }
    Iterator<Map<String, ClientFrames>> others = owners.values().iterator();
    while (others.hasNext()) {
      Map<String, ClientFrames> other = others.next();
      if (other.size() > part && forget(other, 1, ClientFrames::isIdle)) {
        if (other.isEmpty()) {
          others.remove();
        }
        return;
      }
    }
  }

  /** Forgets up to so many clients of one owner; false if there were none. */
  private boolean forget(Map<String, ClientFrames> known, int most, Predicate<ClientFrames> which) {
    int count = 0;
    Iterator<ClientFrames> oldest = known.values().iterator();
    while (count < most && oldest.hasNext()) {
      if (which.test(oldest.next())) {
        oldest.remove();
        count++;
      }
    }
    size -= count;
    return count > 0;
  }

  /** Forgets clients of which nobody has heard for a week. */
  synchronized void forgetSilent(long nanoTime) {
    long longAgo = nanoTime - FORGET.toNanos();
    owners
        .values()
        .removeIf(
            known -> {
              var unused =
                  forget(
                      known,
                      Integer.MAX_VALUE,
                      client -> client.isIdle() && client.heardNanos() - longAgo < 0);
              return known.isEmpty();
            });
  }

  /** A value of the log says that it has a client's frames up to this one. */
  void restore(String id, int partition, long frame) {
    if (frame <= MOST_FRAME) {
      client(id).restore(partition, frame);
    }
  }

  /** After a lane was given up: nothing of any client is on its way to the partition. */
  synchronized void forgetTaken(int partition) {
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

  /** Where the log goes on behind what is known. */
  long nextOffset(int partition) {
    return nextOffsets[partition];
  }

  /** A frame of some client is in the log. */
  void changed() {
    isChanged = true;
  }

  /**
   * Reads the file, and the log behind it.
   *
   * @throws IOException if one of them cannot be read
   */
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
          "{}; it is set aside as {}: frames that clients sent more than {} min ago and send again are"
              + " stored twice",
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
        throw new IOException(file + ": is of another release, or not a file of clients' frames");
      }
      if (in.readInt() != partitions) {
        LOG.warn("{}: the log has another number of partitions now; its end is read", file);
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

  /**
   * Saves what is known, if that has changed.
   *
   * @param next offset behind what the log is known to have of us, for each partition; read before
   */
  void save(Path file, long[] next) throws IOException {
    if (!isChanged) {
      return;
    }
    isChanged = false; // before it is read: what changes from now on is for the next time
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
