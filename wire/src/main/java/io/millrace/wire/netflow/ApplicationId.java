package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.u32;

import io.millrace.wire.block.FlowBlock;

/**
 * Application ids (RFC 6759 section 4): a classification engine in one byte, and a selector. The
 * selector of engine 20 begins with the enterprise in four bytes.
 *
 * <pre>
 *   selector below 2²⁴     engine × 2²⁴ + selector
 *   engine 20              20 × 2⁵⁶ + enterprise × 2³² + selector
 *   other selectors        engine × 2⁵⁶ + selector
 * </pre>
 */
final class ApplicationId {
  static final int MAX_BYTES = 9;

  private static final int OF_ENTERPRISE = 20;
  private static final int ENTERPRISE_BYTES = 1 + Integer.BYTES;
  private static final int NARROW_BITS = 24;
  private static final int WIDE_BITS = 56;

  private ApplicationId() {}

  static long of(byte[] b, int at, int length) {
    if (length < 1 || length > MAX_BYTES) {
      return FlowBlock.NULL;
    }
    int engine = b[at] & 0xFF;
    if (length == 1) {
      return engine;
    }
    if (engine == OF_ENTERPRISE && length > ENTERPRISE_BYTES) {
      long enterprise = u32(b, at + 1);
      long selector = Numbers.number(b, at + ENTERPRISE_BYTES, length - ENTERPRISE_BYTES);
      return enterprise >>> NARROW_BITS != 0
          ? FlowBlock.NULL
          : ((long) engine << WIDE_BITS) | (enterprise << Integer.SIZE) | selector;
    }
    long selector = Numbers.number(b, at + 1, length - 1);
    if (selector >>> NARROW_BITS == 0) {
      return ((long) engine << NARROW_BITS) | selector;
    }
    boolean fits = selector >>> WIDE_BITS == 0 && engine <= Byte.MAX_VALUE;
    return fits ? ((long) engine << WIDE_BITS) | selector : FlowBlock.NULL;
  }
}
