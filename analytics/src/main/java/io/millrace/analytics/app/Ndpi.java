package io.millrace.analytics.app;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.ByteByReference;
import java.util.Optional;

/**
 * Functions of nDPI 4.2 (Debian 12). Later versions have incompatible functions of the same names.
 *
 * <p>Two functions return {@code ndpi_protocol} by value, a structure of eight bytes in a register.
 * Here it is a number: protocol in the lowest 16 bits, application in the next 16.
 */
final class Ndpi {
  static final String PACKAGE = "libndpi4.2";

  private static final String[] NAMES = {"libndpi.so.4.2", "ndpi"};
  private static final String VERSION = "4.2";
  private static final int BITMASK_BYTES = 64;
  private static final byte ALL = (byte) 0xFF;

  /** Reason why it is unavailable; null if it is available. */
  private static final String PROBLEM = load();

  private Ndpi() {}

  private static String load() {
    for (String name : NAMES) {
      try {
        Native.register(Ndpi.class, name);
        String version = ndpi_revision();
        return version.startsWith(VERSION) ? null : "nDPI " + version + " is installed";
      } catch (UnsatisfiedLinkError e) {
        // installed under another name, or not at all
      }
    }
    return "nDPI is not installed";
  }

  static Optional<String> missing() {
    return Optional.ofNullable(PROBLEM)
        .map(
            problem ->
                "classifier ndpi: %s, but version %s is required: apt-get install %s"
                    .formatted(problem, VERSION, PACKAGE));
  }

  /** Opens a module with all protocols. A process may create only one at a time. */
  static synchronized Pointer open() {
    Pointer module = ndpi_init_detection_module(0);
    if (module == null) {
      throw new IllegalStateException("nDPI cannot allocate a module");
    }
    try (Memory all = new Memory(BITMASK_BYTES)) {
      all.setMemory(0, BITMASK_BYTES, ALL);
      ndpi_set_protocol_detection_bitmask2(module, all);
    }
    ndpi_finalize_initialization(module);
    return module;
  }

  static native String ndpi_revision();

  static native Pointer ndpi_init_detection_module(int preferences);

  static native void ndpi_set_protocol_detection_bitmask2(Pointer module, Pointer bitmask);

  static native void ndpi_finalize_initialization(Pointer module);

  static native void ndpi_exit_detection_module(Pointer module);

  static native int ndpi_detection_get_sizeof_ndpi_flow_struct();

  static native long ndpi_detection_process_packet(
      Pointer module, Pointer flow, Pointer packet, short length, long timeMillis);

  static native long ndpi_detection_giveup(
      Pointer module, Pointer flow, byte mayGuess, ByteByReference guessed);

  static native byte ndpi_extra_dissection_possible(Pointer module, Pointer flow);

  static native void ndpi_free_flow_data(Pointer flow);

  static native String ndpi_get_proto_name(Pointer module, short protocol);
}
