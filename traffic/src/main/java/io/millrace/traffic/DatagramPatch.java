package io.millrace.traffic;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.put32;
import static io.millrace.wire.sflow.SflowLayout.FLOW_SAMPLE;
import static io.millrace.wire.sflow.SflowLayout.HEADER_LENGTH_IPV4;
import static io.millrace.wire.sflow.SflowLayout.TAG_LENGTH;
import static io.millrace.wire.sflow.SflowLayout.VERSION;

/** Changes sequence numbers of complete sFlow datagrams with an IPv4 agent. */
final class DatagramPatch {
  private static final int SEQUENCE = HEADER_LENGTH_IPV4 - 12;
  private static final int UPTIME = HEADER_LENGTH_IPV4 - 8;
  private static final int SAMPLES = HEADER_LENGTH_IPV4 - 4;
  // Offsets in a sample, after its format and length.
  private static final int SAMPLE_SEQUENCE = 0;
  private static final int SOURCE = 4;
  private static final int SAMPLING_RATE = 8;
  private static final int SAMPLE_POOL = 12;

  private DatagramPatch() {}

  static void sequence(byte[] bytes, int at, int sequence) {
    put32(bytes, at + SEQUENCE, sequence);
  }

  /** Sets the uptime; does not change datagrams of other protocols. */
  static void uptimeMillis(byte[] bytes, int at, int millis) {
    if (i32(bytes, at) == VERSION) {
      put32(bytes, at + UPTIME, millis);
    }
  }

  /**
   * Renumbers all samples and updates their pools.
   *
   * @param flowSequence last number of flow samples by source; incremented
   * @param counterSequence last number of counter samples by source; incremented
   * @param pool sample pool by source; incremented
   */
  static void samples(
      byte[] bytes, int start, int[] flowSequence, int[] counterSequence, int[] pool) {
    int at = start + HEADER_LENGTH_IPV4;
    for (int i = i32(bytes, start + SAMPLES); i > 0; i--) {
      int body = at + TAG_LENGTH;
      int source = i32(bytes, body + SOURCE);
      if (i32(bytes, at) == FLOW_SAMPLE) {
        put32(bytes, body + SAMPLE_SEQUENCE, ++flowSequence[source]);
        put32(bytes, body + SAMPLE_POOL, pool[source] += i32(bytes, body + SAMPLING_RATE));
      } else {
        put32(bytes, body + SAMPLE_SEQUENCE, ++counterSequence[source]);
      }
      at = body + i32(bytes, at + 4);
    }
  }
}
