package io.millrace.wire.block;

import java.util.Locale;

/** Kinds of objects whose names devices report. */
public enum NameKind {
  /** The device; its number is 0. */
  EXPORTER,
  /** An interface, by its index. */
  INTERFACE,
  /** A VRF, by its id. */
  VRF,
  /** An application in the device's classification, by its id: engine and selector. */
  APPLICATION,
  /** A sampler, by its id. */
  SAMPLER;

  /** Name in tables: lower case. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
