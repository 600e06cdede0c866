package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.u16;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RejectReason;
import java.util.Arrays;

/** Iterates over sets by their lengths; version 9's unreliable count is ignored. */
final class SetReader {
  private final Sessions sessions;
  private final DataSetReader data;
  private final TemplateReader templates;
  private final Notes notes;

  private Session session;
  private FlowBlock out;
  private FullBlocks full;
  private long timeMicros;
  private long sent;
  private int uptime;

  private final TemplateReader.Sink sink =
      new TemplateReader.Sink() {
        @Override
        public boolean template(Template template) {
          return define(template);
        }

        @Override
        public void withdraw(int id) {
          forget(id);
        }
      };

  SetReader(NetflowConfig config, Sessions sessions, DataSetReader data, Notes notes) {
    this.sessions = sessions;
    this.data = data;
    this.notes = notes;
    templates = new TemplateReader(config);
  }

  void read(
      byte[] b,
      int off,
      int len,
      long arrivalMicros,
      long sentMicros,
      int uptimeMillis,
      Session of,
      FlowBlock block,
      FullBlocks fullBlocks) {
    session = of;
    out = block;
    full = fullBlocks;
    timeMicros = arrivalMicros;
    sent = sentMicros;
    uptime = uptimeMillis;
    data.begin(out, session, timeMicros, sent, uptime, 0);
    boolean isIpfix = session.key.version() == NetflowLayout.VERSION_IPFIX;
    int announced = isIpfix ? u16(b, off + NetflowLayout.IPFIX_LENGTH_OFFSET) : len;
    boolean isWhole = announced <= len;
    if (isIpfix) {
      session.meaning.begin();
    }
    boolean isCounted =
        sets(b, off + ExportHeader.headerLength(b, off), off + announced, off + len, isIpfix);
    if (!isWhole) {
      notes.reject(RejectReason.TRUNCATED_DATAGRAM, off + len);
    }
    if (isIpfix) {
      if (!isWhole || !isCounted) {
        session.meaning.unknown();
      }
      sequence((int) ExportHeader.sequence(b, off));
    }
  }

  /**
   * Reads the sets, and returns whether all of their records could be counted.
   *
   * <p>A set after or across the message's end is read if it is within the datagram, since its
   * length is as credible as the message's. A data set truncated by the datagram's end is read as
   * far as possible if the message's length is larger than the datagram. Zeros up to the end are
   * padding.
   */
  private boolean sets(byte[] b, int at, int messageEnd, int end, boolean isIpfix) {
    int templateSet = isIpfix ? NetflowLayout.IPFIX_TEMPLATE_SET : NetflowLayout.V9_TEMPLATE_SET;
    int optionsSet = isIpfix ? NetflowLayout.IPFIX_OPTIONS_SET : NetflowLayout.V9_OPTIONS_SET;
    boolean isCounted = true;
    boolean isBeyond = false;
    while (end - at >= NetflowLayout.SET_HEADER_LENGTH) {
      int id = u16(b, at);
      int length = u16(b, at + 2);
      if (length == 0 && id == 0 && Numbers.isZero(b, at, end)) {
        return isCounted;
      }
      boolean isCut = length > end - at;
      if (at >= messageEnd && (isCut || !isSet(id, length, templateSet))) {
        return isCounted; // not a set, but the next message or unknown bytes
      }
      if (length < NetflowLayout.SET_HEADER_LENGTH || isCut) {
        notes.reject(RejectReason.BAD_SET_LENGTH, at);
        if (!isCut || messageEnd <= end || id < NetflowLayout.MIN_TEMPLATE_ID) {
          return false;
        }
        length = end - at;
      } else if (length > messageEnd - at && !isBeyond) {
        notes.reject(RejectReason.BAD_SET_LENGTH, at);
        isBeyond = true;
      }
      int body = at + NetflowLayout.SET_HEADER_LENGTH;
      int setEnd = at + length;
      if (id == templateSet || id == optionsSet) {
        templates.read(b, body, setEnd, isIpfix, id == optionsSet, sink, notes);
      } else if (id < NetflowLayout.MIN_TEMPLATE_ID) {
        notes.reject(RejectReason.UNKNOWN_SET, at);
      } else {
        Template template = session.templates.get(id);
        Session source = template == null ? sessions.lender(session, id) : session;
        if (template == null && source != null) {
          template = source.templates.get(id);
        }
        if (template != null) {
          int n = data.read(template, source, b, body, setEnd);
          if (isIpfix) {
            session.meaning.add(id, template.isOptions, n);
          }
          if (out.rows() >= FlowBlock.MANY_ROWS) {
            nextBlock();
          }
        } else if (setEnd > body) {
          isCounted = false;
          byte[] copy = Arrays.copyOfRange(b, body, setEnd);
          PendingSet set = new PendingSet(session, id, timeMicros, sent, uptime, copy);
          sessions.hold(set, notes.observer());
        }
      }
      at = setEnd;
      if (isCut) {
        return false;
      }
    }
    return isCounted;
  }

  private static boolean isSet(int id, int length, int templateSet) {
    return length >= NetflowLayout.SET_HEADER_LENGTH
        && (id >= NetflowLayout.MIN_TEMPLATE_ID || id == templateSet || id == templateSet + 1);
  }

  private void nextBlock() {
    out = full.next(out);
    data.begin(out, session, timeMicros, sent, uptime, 0);
  }

  private boolean define(Template template) {
    Template before = session.templates.get(template.id);
    if (before != null && before.sameLayout(template)) {
      sessions.confirmTemplate(session, template.id);
      return true;
    }
    if (before != null) {
      sessions.removeTemplate(session, template.id);
    }
    boolean isTaken = sessions.addTemplate(session, template, notes.observer());
    if (before != null && isTaken) {
      notes.observer().templateChanged(template.id);
    } else if (before != null) {
      notes.observer().templates(-1);
    } else if (isTaken) {
      notes.observer().templates(1);
      decodeHeld(template);
    }
    return isTaken;
  }

  private void decodeHeld(Template template) {
    notes.earlier(true);
    for (Session of : session.device.awaiting(session, template.id)) {
      Observations observer = notes.observer();
      if (of != session) {
        notes.observer(Sessions.of(of, observer));
      }
      for (PendingSet set : sessions.release(of, template.id)) {
        data.begin(out, of, set.arrivalMicros, set.exportMicros, set.uptime, 0);
        data.read(template, session, set.bytes, 0, set.bytes.length);
        notes.observer().heldDecoded(set.cost());
        if (out.rows() >= FlowBlock.MANY_ROWS) {
          out = full.next(out);
        }
      }
      notes.observer(observer);
      if (of != session) {
        sessions.settle(of);
      }
    }
    notes.earlier(false);
    data.begin(out, session, timeMicros, sent, uptime, 0);
  }

  private void forget(int id) {
    int before = session.templates.size();
    if (id < NetflowLayout.MIN_TEMPLATE_ID) {
      sessions.removeTemplates(session, id == NetflowLayout.IPFIX_OPTIONS_SET);
    } else {
      sessions.removeTemplate(session, id);
    }
    int removed = before - session.templates.size();
    if (removed > 0) {
      notes.observer().templates(-removed);
    }
  }

  /**
   * Counts losses: a message has the number of data records sent before it (RFC 7011, 3.1), or
   * another number by {@link SequenceMeaning}. A lower number is late or a duplicate and does not
   * reset the count. An exporter that restarts also counts from 0, but with later export times.
   */
  private void sequence(int sequence) {
    RecordSequence numbers = session.sequence;
    long lost = numbers.lost();
    long doubts = numbers.doubts();
    if (session.meaning.observe(sequence, lost)) {
      numbers.beginAnew(session.meaning.lost());
    }
    int rise = session.meaning.rise();
    numbers.observe(sequence, rise, (int) (sent / 1_000), false, timeMicros / 1_000);
    if (numbers.lost() != lost) {
      notes.observer().recordsLost(numbers.lost() - lost);
    }
    if (numbers.doubts() != doubts) {
      notes.observer().sequenceDoubted();
    }
  }
}
