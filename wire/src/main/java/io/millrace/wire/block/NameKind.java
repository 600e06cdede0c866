package io.millrace.wire.block;

import java.util.Locale;

/** What devices have names for. */
public enum NameKind {
  /** The device itself; its number is 0. */
  EXPORTER,
  /** An interface, by its index. */
  INTERFACE,
  /** A virtual routing table, by its id. */
  VRF,
  /** An application as the device tells it apart, by its id: engine and selector. */
  APPLICATION,
  /** A sampler, by its id. */
  SAMPLER;

  /** In tables: lower case. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
