package io.millrace.wire.block;

/**
 * Receiver of names that devices report. Called on the decoder's thread, repeatedly for the same
 * name: an implementation must not throw or block.
 */
@FunctionalInterface
public interface NameSink {
  /** Ignores all names. */
  NameSink NONE = (kind, number, name, description) -> {};

  /**
   * Receives a name.
   *
   * @param kind of the thing
   * @param number by which the device's records refer to it
   * @param name empty only if there is a description; from {@link NameText}
   * @param description from {@link NameText}; empty if there is none
   */
  void name(NameKind kind, long number, String name, String description);
}
