package io.millrace.server.capture;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;

/**
 * A classic BPF program that selects the packets of a ring and returns the number of bytes kept of
 * each.
 *
 * <pre>
 *   struct sock_fprog   { unsigned short length; struct sock_filter *instructions; }  // 16 bytes
 *   struct sock_filter  { short code; byte ifTrue, ifFalse; int operand; }            // 8 bytes
 * </pre>
 *
 * Expressions are compiled by libpcap, which is loaded only for that.
 */
final class PacketFilter implements AutoCloseable {
  static final int LENGTH = 16;
  private static final int INSTRUCTIONS_OFFSET = 8;
  private static final int INSTRUCTION_LENGTH = 8;
  private static final short RETURN_CONSTANT = 6;
  private static final int OPTIMIZED = 1;
  private static final int UNKNOWN_NETMASK = -1;

  private final Memory program;
  private final Memory instruction; // null if libpcap owns it

  private PacketFilter(Memory program, Memory instruction) {
    this.program = program;
    this.instruction = instruction;
  }

  static PacketFilter of(String expression, int linkNumber, int snapLength) throws IOException {
    Memory program = new Memory(LENGTH);
    program.clear();
    if (expression.isEmpty()) {
      Memory all = new Memory(INSTRUCTION_LENGTH);
      all.clear();
      all.setShort(0, RETURN_CONSTANT);
      all.setInt(4, snapLength);
      program.setShort(0, (short) 1);
      program.setPointer(INSTRUCTIONS_OFFSET, all);
      return new PacketFilter(program, all);
    }
    try {
      Pcap.compile(program, expression, linkNumber, snapLength);
    } catch (LinkageError e) { // a second failure to load has no details
      throw new IOException(
          "capture.filter needs libpcap: apt install libpcap0.8, or remove the filter", e);
    }
    return new PacketFilter(program, null);
  }

  Pointer program() {
    return program;
  }

  @Override
  public void close() {
    if (instruction == null) {
      Pcap.pcap_freecode(program);
    } else {
      instruction.close();
    }
    program.close();
  }

  /** Functions of libpcap; its {@code bpf_program} has the layout of a {@code sock_fprog}. */
  private static final class Pcap {
    static {
      Native.register(Pcap.class, "libpcap.so.0.8");
    }

    static native Pointer pcap_open_dead(int linkNumber, int snapLength);

    static native int pcap_compile(
        Pointer handle, Pointer program, String expression, int optimize, int netmask);

    static native String pcap_geterr(Pointer handle);

    static native void pcap_freecode(Pointer program);

    static native void pcap_close(Pointer handle);

    static void compile(Memory program, String expression, int linkNumber, int snapLength)
        throws IOException {
      Pointer handle = pcap_open_dead(linkNumber, snapLength);
      try {
        if (pcap_compile(handle, program, expression, OPTIMIZED, UNKNOWN_NETMASK) != 0) {
          throw new IOException("capture.filter: " + expression + ": " + pcap_geterr(handle));
        }
      } finally {
        pcap_close(handle);
      }
    }
  }
}
