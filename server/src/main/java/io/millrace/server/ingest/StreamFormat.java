package io.millrace.server.ingest;

import io.millrace.wire.record.Senders;

interface StreamFormat {
  /** Prefix of thread names. */
  String threads();

  /** Number of kinds of values that are filled concurrently. */
  int kinds();

  /** A value without records. */
  byte[] emptyValue(long arrivalMicros);

  /** Passes on the clients whose frames are in a value; ignores invalid values. */
  void senders(byte[] value, Senders to);
}
