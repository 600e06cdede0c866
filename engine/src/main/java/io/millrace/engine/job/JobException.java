package io.millrace.engine.job;

/** A job or the stream engine cannot be started or stopped, or the job has failed for good. */
public final class JobException extends RuntimeException {
  /** What was tried, and why it failed. */
  public JobException(String message) {
    super(message);
  }

  /** The same with the cause. */
  public JobException(String message, Throwable cause) {
    super(message, cause);
  }
}
