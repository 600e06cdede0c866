package io.millrace.engine.job;

/** Failure to start or stop a job or the stream engine, or permanent failure of a job. */
public final class JobException extends RuntimeException {
  public JobException(String message) {
    super(message);
  }

  public JobException(String message, Throwable cause) {
    super(message, cause);
  }
}
