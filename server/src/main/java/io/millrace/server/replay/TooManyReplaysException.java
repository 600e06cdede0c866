package io.millrace.server.replay;

/** The maximum number of replays is running. */
public final class TooManyReplaysException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  TooManyReplaysException(int max) {
    super(max + " replays are running, the maximum; wait until one has ended");
  }
}
