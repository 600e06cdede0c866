package io.millrace.wire.netflow;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Arrays;

/**
 * The bytes of a decoder's state: family, version, number of sessions; each session with its key,
 * sampling, templates as they came (plans are made anew), held data and, since version 2, the gaps
 * in its sequence, since version 3 the time of its newest message. Little-endian.
 */
final class SessionFormat {
  private static final int FAMILY = 0x534C464E; // NFLS
  private static final int VERSION = 3;
  private static final int VERSION_WITHOUT_TIME = 2;
  private static final int VERSION_WITHOUT_GAPS = 1;
  private static final int MIN_FIELD = 9;

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
      out.putInt(s.domainRate);
      out.putLong(s.systemInitMillis);
      out.putLong(s.nextSequence);
      s.samplers.write(out);
      out.putInt(s.templates.size());
      int[] ids = s.templates.keySet().stream().mapToInt(i -> i).sorted().toArray();
      for (int id : ids) { // sorted: equal states are equal bytes
        write(s.templates.get(id), out);
      }
      out.putInt(s.held.size());
      for (Session.HeldSet h : s.held) {
        out.putShort(h.setId());
        out.putLong(h.arrivalMicros());
        out.putLong(h.exportMicros());
        out.putInt(h.uptime());
        out.putInt(h.bytes().length);
        out.put(h.bytes(), 0, h.bytes().length);
      }
      out.putByte(s.gaps.size());
      for (int i = 0; i < s.gaps.size(); i++) {
        out.putInt(s.gaps.from(i));
        out.putInt(s.gaps.to(i));
      }
      out.putLong(s.newestMicros);
    }
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
      throw in.broken("not the state of a netflow decoder");
    }
    int version = in.takeShort();
    if (version < VERSION_WITHOUT_GAPS || version > VERSION) {
      throw in.broken("netflow state of version " + version + ", known are 1 to " + VERSION);
    }
    Sessions sessions = new Sessions(config);
    for (int n = in.takeInt(); n != 0; n--) {
      Session session = session(in, config);
      if (version > VERSION_WITHOUT_GAPS) {
        gaps(in, session.gaps);
      }
      if (version > VERSION_WITHOUT_TIME) {
        session.newestMicros = in.takeLong();
      }
      sessions.add(session);
    }
    return sessions;
  }

  private static Session session(BlockInput in, NetflowConfig config) {
    long high = in.takeLong();
    long low = in.takeLong();
    int port = in.takeShort();
    int version = in.takeShort();
    Session s = new Session(new Session.Key(high, low, port, version, in.takeInt()), config);
    s.domainRate = in.takeInt();
    s.systemInitMillis = in.takeLong();
    s.nextSequence = in.takeLong();
    s.samplers.read(in);
    int templates = in.takeInt();
    for (; templates != 0; templates--) {
      Template t = template(in);
      if (s.templates.size() < Math.min(config.maxTemplates(), config.maxAllTemplates())
          && t.fields() <= config.maxFields()) {
        s.templates.put(t.id, t);
      }
    }
    for (int n = in.takeInt(); n != 0; n--) {
      int setId = in.takeShort();
      long arrival = in.takeLong();
      long sent = in.takeLong();
      int uptime = in.takeInt();
      int size = in.takeInt();
      int at = in.take(size);
      if (size <= config.maxHeldSessionBytes() - s.heldBytes) {
        byte[] bytes = Arrays.copyOfRange(in.bytes(), at, at + size);
        s.held.addLast(new Session.HeldSet(setId, arrival, sent, uptime, bytes));
        s.heldBytes += size;
      }
    }
    return s;
  }

  private static void gaps(BlockInput in, SequenceGaps gaps) {
    int n = in.takeByte();
    if (n < 0 || n > SequenceGaps.MOST) {
      throw in.broken(n + " gaps");
    }
    for (; n > 0; n--) {
      gaps.add(in.takeInt(), in.takeInt());
    }
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
      if (length[i] < 0 || length[i] > NetflowLayout.VARIABLE_LENGTH + 1) {
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
