package io.millrace.wire.netflow;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Format of a decoder's state: family, version, number of sessions; each session with its key,
 * sampling, rank among the sessions with a sampling rate, templates as received (plans are rebuilt)
 * and which of them are the newest of their domain, held data, the states of sequence numbers and
 * of their meaning, and the last arrival. Little-endian.
 */
final class SessionFormat {
  private static final int FAMILY = 0x534C464E; // NFLS
  private static final int VERSION = 1;
  private static final int MIN_FIELD = 9;
  private static final long[] NO_NUMBERS = {};

  private SessionFormat() {}

  static void write(Sessions sessions, BlockBuffer out) {
    out.putInt(FAMILY);
    out.putShort(VERSION);
    out.putInt(sessions.size());
    for (Session s : sessions.inOrder()) {
      out.putLong(s.key.high());
      out.putLong(s.key.low());
      out.putShort(s.key.port());
      out.putShort(s.key.version());
      out.putInt(s.key.domain());
      out.putInt(s.rateOfAll);
      out.putLong(s.systemInitMillis);
      s.samplers.write(out);
      s.scoped.write(out);
      s.caches.write(out);
      out.putInt(s.device == null ? -1 : s.device.sources().indexOf(s));
      out.putInt(s.templates.size());
      for (int id : sorted(s.templates.keySet())) {
        write(s.templates.get(id), out);
        out.putByte(s.device.isNewest(s, id) ? 1 : 0);
      }
      out.putInt(s.held.values().stream().mapToInt(ArrayDeque::size).sum());
      for (int id : sorted(s.held.keySet())) {
        for (PendingSet h : s.held.get(id)) {
          out.putShort(h.setId);
          out.putLong(h.arrivalMicros);
          out.putLong(h.exportMicros);
          out.putInt(h.uptime);
          out.putInt(h.bytes.length);
          out.put(h.bytes, 0, h.bytes.length);
        }
      }
      write(s.sequence.snapshot(), out);
      write(s.meaning == null ? NO_NUMBERS : s.meaning.snapshot(), out);
      out.putLong(s.usedMicros);
    }
  }

  private static void write(long[] numbers, BlockBuffer out) {
    out.putByte(numbers.length);
    for (long number : numbers) {
      out.putLong(number);
    }
  }

  /** Sorted, so that equal states have equal bytes. */
  private static int[] sorted(Set<Integer> ids) {
    return ids.stream().mapToInt(i -> i).sorted().toArray();
  }

  private static void write(Template t, BlockBuffer out) {
    out.putShort(t.id);
    out.putByte(t.isOptions ? 1 : 0);
    out.putShort(t.scopes);
    out.putShort(t.fields());
    for (int i = 0; i < t.fields(); i++) {
      out.putInt(t.enterprise[i]);
      out.putShort(t.element[i]);
      out.putInt(t.length[i]);
    }
  }

  static Sessions read(BlockInput in, NetflowConfig config) {
    if (in.takeInt() != FAMILY) {
      throw in.broken("not the state of a NetFlow decoder");
    }
    int version = in.takeShort();
    if (version != VERSION) {
      throw in.broken("NetFlow state of version " + version + ", expected " + VERSION);
    }
    Sessions sessions = new Sessions(config);
    Restored restored = new Restored();
    Set<Session.Key> keys = new HashSet<>();
    for (int n = in.takeInt(); n != 0; n--) {
      Session session = session(in, config, sessions, restored);
      if (!keys.add(session.key)) {
        throw in.broken("duplicate session");
      }
    }
    restored.held.sort(Comparator.comparingLong(set -> set.arrivalMicros));
    restored.held.forEach(set -> sessions.hold(set, Observations.NONE));
    restored.devices();
    return sessions;
  }

  private static final class Restored {
    private final List<PendingSet> held = new ArrayList<>();
    private final List<Session> sessions = new ArrayList<>();
    private final List<Integer> positions = new ArrayList<>(); // in the order, −1: none
    private final List<Set<Integer>> newest = new ArrayList<>();

    private void devices() {
      for (int i = 0; i < sessions.size(); i++) {
        Session s = sessions.get(i);
        for (int id : s.templates.keySet()) {
          if (!newest.get(i).contains(id)) {
            s.device.remove(s, id);
          }
        }
      }
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < sessions.size(); i++) {
        Session s = sessions.get(i);
        for (int id : s.templates.keySet()) {
          if (newest.get(i).contains(id)) {
            s.device.add(s, id);
          }
        }
        if (s.device != null) {
          s.device.restored(s);
          order.add(i);
        }
      }
      order.removeIf(i -> positions.get(i) < 0);
      order.sort(Comparator.comparing(positions::get));
      order.forEach(i -> sessions.get(i).device.updated(sessions.get(i)));
    }
  }

  private static Session session(
      BlockInput in, NetflowConfig config, Sessions sessions, Restored restored) {
    long high = in.takeLong();
    long low = in.takeLong();
    int port = in.takeShort();
    int protocol = in.takeShort();
    Session s = new Session(new Session.Key(high, low, port, protocol, in.takeInt()));
    s.rateOfAll = Math.max(Sampling.UNKNOWN, in.takeInt());
    s.systemInitMillis = in.takeLong();
    s.samplers.read(in, config.maxTemplates());
    s.scoped.read(in, config.maxTemplates());
    s.caches.read(in, config.maxTemplates());
    restored.sessions.add(s);
    restored.positions.add(in.takeInt());
    Set<Integer> newest = new HashSet<>();
    restored.newest.add(newest);
    List<Template> templates = new ArrayList<>();
    for (int n = in.takeInt(); n != 0; n--) {
      Template template = template(in);
      templates.add(template);
      if (in.takeByte() != 0) {
        newest.add(template.id);
      }
    }
    for (int n = in.takeInt(); n != 0; n--) {
      int setId = in.takeShort();
      long arrival = in.takeLong();
      long sent = in.takeLong();
      int uptime = in.takeInt();
      int size = in.takeInt();
      int at = in.take(size);
      byte[] bytes = Arrays.copyOfRange(in.bytes(), at, at + size);
      restored.held.add(new PendingSet(s, setId, arrival, sent, uptime, bytes));
    }
    long[] sequence = numbers(in);
    long[] meaning = numbers(in);
    try {
      s.sequence.restore(sequence);
      if (meaning.length > 0 && s.meaning != null) {
        s.meaning.restore(meaning);
      }
    } catch (IllegalArgumentException e) {
      throw in.broken(e.getMessage());
    }
    long used = in.takeLong();
    s.usedMicros = Long.MAX_VALUE; // with lower limits than before, the most recently used are kept
    for (Template template : templates) {
      if (template.fields() <= config.maxFields()) {
        sessions.addTemplate(s, template, Observations.NONE);
      }
    }
    s.usedMicros = used;
    return s;
  }

  private static long[] numbers(BlockInput in) {
    long[] numbers = new long[in.takeByte()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = in.takeLong();
    }
    return numbers;
  }

  private static Template template(BlockInput in) {
    int id = in.takeShort();
    boolean isOptions = in.takeByte() != 0;
    int scopes = in.takeShort();
    int n = in.takeShort();
    if (n > in.remaining() / MIN_FIELD || scopes > n) {
      throw in.broken("template of " + n + " fields with " + scopes + " scopes");
    }
    int[] enterprise = new int[n];
    int[] element = new int[n];
    int[] length = new int[n];
    for (int i = 0; i < n; i++) {
      enterprise[i] = in.takeInt();
      element[i] = in.takeShort();
      length[i] = in.takeInt();
      if (length[i] < 0 || length[i] > NetflowLayout.VARIABLE_LENGTH) {
        throw in.broken("field of " + length[i] + " bytes");
      }
    }
    Template template = new Template(id, isOptions, scopes, enterprise, element, length);
    if (template.minLength == 0) {
      throw in.broken("template of no bytes");
    }
    return template;
  }
}
