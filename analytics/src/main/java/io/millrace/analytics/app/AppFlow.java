package io.millrace.analytics.app;

import io.millrace.analytics.flowtable.Flow;
import io.millrace.analytics.flowtable.StreamHead;

/** A flow, and the application that it is of as far as that is known. Not thread-safe. */
public final class AppFlow extends Flow {
  /** The application of a flow of which nothing is known. */
  public static final String UNKNOWN_APP = "Unknown";

  private String spoken = UNKNOWN_APP;
  private String app = UNKNOWN_APP;
  private KnownBy by = KnownBy.NOTHING;
  private String name;
  private boolean isDecided;

  // What classifiers note while they are not sure.
  int looks;
  Dissector dissector;
  Object notes;
  StreamHead clientHead;
  StreamHead serverHead;

  /** What is spoken, {@code TLS}; never null. */
  public String spoken() {
    return spoken;
  }

  /** The application, {@code YouTube}; the protocol's name where it is of no known one. */
  public String app() {
    return app;
  }

  /** How the application was known. */
  public KnownBy by() {
    return by;
  }

  /** The name that was seen, of a host as a rule; null if none. */
  public String name() {
    return name;
  }

  /** Whether the application is not going to change. */
  public boolean isDecided() {
    return isDecided;
  }

  /** Whether nothing is known yet. */
  boolean isUnknown() {
    return by == KnownBy.NOTHING;
  }

  /** The flow speaks this protocol, and no application is known. */
  void speaks(String protocol, KnownBy how) {
    is(protocol, protocol, how);
  }

  void is(String protocol, String application, KnownBy how) {
    spoken = protocol;
    app = application;
    by = how;
  }

  void named(String seen) {
    name = seen;
  }

  /** Nothing more is looked at; what was kept for that is given back. */
  void decide() {
    isDecided = true;
    dissector = null;
    notes = null;
    close();
  }

  void close() {
    if (clientHead != null) {
      clientHead.close();
      clientHead = null;
    }
    if (serverHead != null) {
      serverHead.close();
      serverHead = null;
    }
  }
}
