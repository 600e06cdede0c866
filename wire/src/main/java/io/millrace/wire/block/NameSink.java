package io.millrace.wire.block;

/**
 * Where a decoder says what a device calls something of its own. Called on the decoder's thread, in
 * the middle of its work, again and again for the same: an implementation takes note and returns,
 * it never throws or blocks.
 */
@FunctionalInterface
public interface NameSink {
  /** Forgets all names. */
  NameSink NONE = (kind, number, name, description) -> {};

  /**
   * Takes note of one name.
   *
   * @param kind of the thing
   * @param number by which the device's records mean it
   * @param name not empty unless the description is not; as {@link NameText} gives it
   * @param description the same; empty where there is none
   */
  void name(NameKind kind, long number, String name, String description);
}
