package io.millrace.server.runtime;

import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes all started parts in reverse order, even if some fail to close. Thread-safe. */
final class Closers {
  private static final Logger LOG = LoggerFactory.getLogger(Closers.class);

  private final ArrayDeque<AutoCloseable> stack = new ArrayDeque<>();

  synchronized <T extends AutoCloseable> T add(T closer) {
    stack.push(closer);
    return closer;
  }

  synchronized void closeAll() {
    while (!stack.isEmpty()) {
      try {
        stack.pop().close();
      } catch (Exception e) {
        LOG.warn("failed to stop cleanly: {}", e.toString());
      }
    }
  }
}
