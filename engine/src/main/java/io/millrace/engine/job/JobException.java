package io.millrace.engine.job;

/** Failure to start or stop a job or the stream engine, or permanent failure of a job. */
public final class JobException extends RuntimeException {
  /** Creates an exception from what was tried and why it failed. */
  public JobException(String message) {
    super(message);
  }

  /** The same with the cause. */
  public JobException(String message, Throwable cause) {
    super(message, cause);
  }
}
