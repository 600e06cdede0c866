package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.u16;

import io.millrace.wire.block.RejectReason;
import java.util.Arrays;

/**
 * Reads templates. IPFIX gives the length of an options template's scope in fields, version 9 in
 * bytes.
 */
final class TemplateReader {
  interface Sink {
    /** Adds a template; false at a limit. */
    boolean template(Template template);

    /** Withdraws a template, or all templates of data (id 2) or of options (id 3). */
    void withdraw(int id);
  }

  private final int maxFields;
  private final int[] enterprise;
  private final int[] element;
  private final int[] length;

  TemplateReader(NetflowConfig config) {
    maxFields = config.maxFields();
    enterprise = new int[maxFields];
    element = new int[maxFields];
    length = new int[maxFields];
  }

  void read(byte[] b, int at, int end, boolean isIpfix, boolean isOptions, Sink sink, Notes notes) {
    int headerLength =
        isOptions ? NetflowLayout.OPTIONS_HEADER_LENGTH : NetflowLayout.TEMPLATE_HEADER_LENGTH;
    while (end - at >= NetflowLayout.TEMPLATE_HEADER_LENGTH) {
      int start = at;
      int id = u16(b, at);
      int count = u16(b, at + 2);
      if (isIpfix && count == 0 && isWithdrawal(id, isOptions)) {
        sink.withdraw(id);
        at += NetflowLayout.TEMPLATE_HEADER_LENGTH;
        continue;
      }
      if (id == 0 && count == 0) {
        return; // padding
      }
      if (id < NetflowLayout.MIN_TEMPLATE_ID || end - at < headerLength) {
        notes.reject(RejectReason.BAD_TEMPLATE, start);
        return;
      }
      int scopes = isOptions ? u16(b, at + 4) : 0;
      if (isOptions && !isIpfix) {
        if (count % NetflowLayout.FIELD_LENGTH != 0 || scopes % NetflowLayout.FIELD_LENGTH != 0) {
          notes.reject(RejectReason.ODD_OPTIONS_LENGTH, start); // whole fields only
        }
        int optionBytes = scopes;
        scopes = count / NetflowLayout.FIELD_LENGTH;
        count = scopes + optionBytes / NetflowLayout.FIELD_LENGTH;
      }
      at = fields(b, at + headerLength, end, isIpfix, count, isIpfix ? 0 : scopes);
      if (at < 0) {
        notes.reject(RejectReason.BAD_TEMPLATE, start);
        return;
      }
      if (count > maxFields || scopes > count) {
        notes.reject(RejectReason.BAD_TEMPLATE, start);
        continue;
      }
      Template template =
          new Template(
              id,
              isOptions,
              scopes,
              Arrays.copyOf(enterprise, count),
              Arrays.copyOf(element, count),
              Arrays.copyOf(length, count));
      if (template.minLength == 0) {
        notes.reject(RejectReason.BAD_TEMPLATE, start);
      } else if (!sink.template(template)) {
        notes.reject(RejectReason.TOO_MANY_TEMPLATES, start);
      }
    }
  }

  private static boolean isWithdrawal(int id, boolean isOptions) {
    return id >= NetflowLayout.MIN_TEMPLATE_ID
        || id == (isOptions ? NetflowLayout.IPFIX_OPTIONS_SET : NetflowLayout.IPFIX_TEMPLATE_SET);
  }

  /** Reads field specifiers and returns their end; -1 if that is after the set's end. */
  private int fields(byte[] b, int at, int end, boolean isIpfix, int count, int v9Scopes) {
    for (int i = 0; i < count; i++) {
      if (end - at < NetflowLayout.FIELD_LENGTH) {
        return -1;
      }
      int type = u16(b, at);
      int bytes = u16(b, at + 2);
      int owner = i < v9Scopes ? NetflowLayout.V9_SCOPE : 0;
      at += NetflowLayout.FIELD_LENGTH;
      if (isIpfix && (type & NetflowLayout.ENTERPRISE_BIT) != 0) {
        if (end - at < 4) {
          return -1;
        }
        type &= ~NetflowLayout.ENTERPRISE_BIT;
        owner = i32(b, at);
        at += 4;
      }
      if (i < maxFields) {
        enterprise[i] = owner;
        element[i] = type;
        length[i] = bytes;
      }
    }
    return at;
  }
}
