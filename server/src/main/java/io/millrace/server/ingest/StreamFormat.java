package io.millrace.server.ingest;

import io.millrace.wire.record.Senders;

/** What the values of a stream in the log are, as far as those who fill and send them know it. */
interface StreamFormat {
  /** In front of the names of its threads. */
  String threads();

  /** How many kinds of values are filled beside each other. */
  int kinds();

  /** A value without records. */
  byte[] emptyValue(long arrivalMicros);

  /** Tells the clients whose frames are in a value, which may be anything. */
  void senders(byte[] value, Senders to);
}
