package io.millrace.server.replay;

/** No further replay is begun while so many run. */
public final class TooManyReplaysException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  TooManyReplaysException(int most) {
    super(most + " replays run already, and no more may at a time: wait until one has ended");
  }
}
