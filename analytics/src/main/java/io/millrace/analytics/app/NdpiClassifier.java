package io.millrace.analytics.app;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.ByteByReference;
import io.millrace.analytics.flowtable.Packet;
import io.millrace.wire.packet.PacketLayout;

/**
 * nDPI, called as by its own reader: whole packets of a flow, up to 80 of TCP and 24 of UDP. Its
 * notes on a flow, about a kilobyte outside of the heap, are not state: after a failure it begins
 * with the next packet.
 */
final class NdpiClassifier implements Classifier {
  private static final int UDP = 17;
  private static final int MAX_PACKETS_TCP = 80;
  private static final int MAX_PACKETS_UDP = 24;
  private static final int MAX_BYTES = 0xFFFF;
  private static final byte GUESS = 1;
  private static final long MILLI = 1_000;

  private final Pointer module = Ndpi.open();
  private final int flowBytes = Ndpi.ndpi_detection_get_sizeof_ndpi_flow_struct();
  private final Memory bytes = new Memory(MAX_BYTES);
  private final ByteByReference guessed = new ByteByReference();

  private record SavedNotes(Memory memory) implements Notes {
    static SavedNotes nothing(int size) {
      Memory memory = new Memory(size);
      memory.clear();
      return new SavedNotes(memory);
    }

    @Override
    public void close() {
      Ndpi.ndpi_free_flow_data(memory);
      memory.close();
    }
  }

  @Override
  public boolean takesPackets() {
    return true;
  }

  @Override
  public void packet(AppFlow flow, Packet packet) {
    if (packet.ip < 0) {
      return; // reassembled packets, which nDPI ignores too
    }
    if (flow.notes == null) {
      flow.notes = SavedNotes.nothing(flowBytes);
    }
    int length = Math.min(packet.end - packet.ip, MAX_BYTES);
    bytes.write(0, packet.buffer, packet.ip, length);
    flow.looks++;
    Memory notes = ((SavedNotes) flow.notes).memory();
    long found =
        Ndpi.ndpi_detection_process_packet(
            module, notes, bytes, (short) length, packet.timeMicros / MILLI);
    boolean isEnough = isEnough(flow);
    if (isEnough
        || (application(found) != 0 && Ndpi.ndpi_extra_dissection_possible(module, notes) == 0)) {
      decide(flow, found);
    }
  }

  private static boolean isEnough(AppFlow flow) {
    return switch (flow.protocol()) {
      case PacketLayout.TCP -> flow.looks > MAX_PACKETS_TCP;
      case UDP -> flow.looks > MAX_PACKETS_UDP;
      default -> false;
    };
  }

  private static int protocol(long found) {
    return (int) found & 0xFFFF;
  }

  private static int application(long found) {
    return (int) (found >>> 16) & 0xFFFF;
  }

  private void decide(AppFlow flow, long found) {
    if (application(found) == 0) {
      guess(flow);
    } else {
      name(flow, found, Evidence.NDPI);
    }
    flow.decide();
  }

  private void name(AppFlow flow, long found, Evidence by) {
    String application = Ndpi.ndpi_get_proto_name(module, (short) application(found));
    String protocol =
        protocol(found) == 0
            ? application
            : Ndpi.ndpi_get_proto_name(module, (short) protocol(found));
    flow.is(protocol, application, by);
  }

  @Override
  public void look(AppFlow flow, Packet packet, Payload stream, Payload segment) {
    throw new UnsupportedOperationException("nDPI classifies packets, not payloads");
  }

  @Override
  public void guess(AppFlow flow) {
    if (flow.notes == null) {
      return;
    }
    guessed.setValue((byte) 0);
    Memory notes = ((SavedNotes) flow.notes).memory();
    long found = Ndpi.ndpi_detection_giveup(module, notes, GUESS, guessed);
    if (application(found) != 0 || protocol(found) != 0) {
      name(flow, found, guessed.getValue() == 0 ? Evidence.NDPI : Evidence.PORT);
    }
  }

  @Override
  public void close() {
    Ndpi.ndpi_exit_detection_module(module);
    bytes.close();
  }
}
