package io.millrace.analytics.app;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.ByteByReference;
import io.millrace.analytics.flowtable.Packet;
import io.millrace.wire.packet.PacketLayout;

/**
 * nDPI, called like in its own reader: with whole packets of a flow, up to 80 of TCP and 24 of UDP.
 * Its data on a flow, about a kilobyte outside the heap, is not state: after a failure, it starts
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

  private record NdpiFlow(Memory memory) implements FlowState {
    static NdpiFlow allocate(int size) {
      Memory memory = new Memory(size);
      memory.clear();
      return new NdpiFlow(memory);
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
  public void classifyPacket(AppFlow flow, Packet packet) {
    if (packet.ip < 0) {
      return; // reassembled packets, which nDPI ignores too
    }
    if (flow.classifierState == null) {
      flow.classifierState = NdpiFlow.allocate(flowBytes);
    }
    int length = Math.min(packet.end - packet.ip, MAX_BYTES);
    bytes.write(0, packet.buffer, packet.ip, length);
    flow.examinedPackets++;
    Memory state = ((NdpiFlow) flow.classifierState).memory();
    long found =
        Ndpi.ndpi_detection_process_packet(
            module, state, bytes, (short) length, packet.timeMicros / MILLI);
    boolean isEnough = isEnough(flow);
    if (isEnough
        || (application(found) != 0 && Ndpi.ndpi_extra_dissection_possible(module, state) == 0)) {
      decide(flow, found);
    }
  }

  private static boolean isEnough(AppFlow flow) {
    return switch (flow.protocol()) {
      case PacketLayout.TCP -> flow.examinedPackets > MAX_PACKETS_TCP;
      case UDP -> flow.examinedPackets > MAX_PACKETS_UDP;
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
      classify(flow, found, Evidence.NDPI);
    }
    flow.decide();
  }

  private void classify(AppFlow flow, long found, Evidence evidence) {
    String application = Ndpi.ndpi_get_proto_name(module, (short) application(found));
    String protocol =
        protocol(found) == 0
            ? application
            : Ndpi.ndpi_get_proto_name(module, (short) protocol(found));
    flow.classify(protocol, application, evidence);
  }

  @Override
  public void classify(AppFlow flow, Packet packet, Payload stream, Payload segment) {
    throw new UnsupportedOperationException("nDPI classifies packets, not payloads");
  }

  @Override
  public void guess(AppFlow flow) {
    if (flow.classifierState == null) {
      return;
    }
    guessed.setValue((byte) 0);
    Memory state = ((NdpiFlow) flow.classifierState).memory();
    long found = Ndpi.ndpi_detection_giveup(module, state, GUESS, guessed);
    if (application(found) != 0 || protocol(found) != 0) {
      classify(flow, found, guessed.getValue() == 0 ? Evidence.NDPI : Evidence.PORT);
    }
  }

  @Override
  public void close() {
    Ndpi.ndpi_exit_detection_module(module);
    bytes.close();
  }
}
