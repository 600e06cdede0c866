package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.u16;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RejectReason;
import java.util.Arrays;

/**
 * Walks over the sets of a version 9 or IPFIX message by their lengths; version 9's count is not
 * believed, as exporters do not agree on what it counts.
 */
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

  /** Reads a whole message. */
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
   * Reads the sets, and gives whether all of their records could be counted.
   *
   * <p>A set behind the message's end, or beyond it, is read where it does not go beyond the
   * datagram's: its own length is as good as that of the message. A data set that the datagram's
   * end cuts off is read as far as it goes, where the message's length says that it was cut. Zeros
   * up to the end are padding.
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
        return isCounted; // no set: the next message, or what nobody knows
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
      int behind = at + length;
      if (id == templateSet || id == optionsSet) {
        templates.read(b, body, behind, isIpfix, id == optionsSet, sink, notes);
      } else if (id < NetflowLayout.MIN_TEMPLATE_ID) {
        notes.reject(RejectReason.UNKNOWN_SET, at);
      } else {
        Template template = session.templates.get(id);
        Session teller = template == null ? sessions.lender(session, id) : session;
        if (template == null && teller != null) {
          template = teller.templates.get(id);
        }
        if (template != null) {
          int n = data.read(template, teller, b, body, behind);
          if (isIpfix) {
            session.meaning.add(id, template.isOptions, n);
          }
          if (out.rows() >= FlowBlock.MANY_ROWS) {
            nextBlock();
          }
        } else if (behind > body) {
          isCounted = false;
          byte[] copy = Arrays.copyOfRange(b, body, behind);
          PendingSet set = new PendingSet(session, id, timeMicros, sent, uptime, copy);
          sessions.hold(set, notes.observer());
        }
      }
      at = behind;
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

  /** Decodes what waits for a template of this session, and of others that have none of it. */
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
   * A message bears the number of data records that were sent before it (RFC 7011, 3.1), or of what
   * {@link SequenceMeaning} learns. One behind the count is late, and its records are lost no
   * longer, or comes twice; it does not set the count back: what came in between would be taken as
   * lost once more. An exporter that starts anew counts from the beginning too, but sends later
   * than all that it sent before.
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
