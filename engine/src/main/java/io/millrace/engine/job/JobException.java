package io.millrace.engine.job;

/** A job or the stream engine cannot be started or stopped, or the job has failed for good. */
public final class JobException extends RuntimeException {
  JobException(String message) {
    super(message);
  }

  JobException(String message, Throwable cause) {
    super(message, cause);
  }
}
