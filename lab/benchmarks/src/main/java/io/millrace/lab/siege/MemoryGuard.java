package io.millrace.lab.siege;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * Watches the resident memory of a process, and kills the process if it exceeds its budget so far
 * that the machine and its other processes would suffer.
 */
final class MemoryGuard implements AutoCloseable {
  private static final long LOOK_NANOS = 50_000_000;
  private static final double TIMES_BUDGET = 2;
  private static final double MIN_AVAILABLE_MIB = 1_024;

  private final long pid;
  private final Proc proc;
  private final double budgetMib;
  private volatile double peakMib;
  private volatile boolean hasEnded;
  private volatile boolean closing;

  MemoryGuard(long pid, double budgetMib) {
    this.pid = pid;
    this.budgetMib = budgetMib;
    proc = new Proc(pid);
    Thread thread = new Thread(this::watch, "siege-memory");
    thread.setDaemon(true);
    thread.start();
  }

  private void watch() {
    while (!closing) {
      double mib = proc.residentMib();
      peakMib = Math.max(peakMib, mib);
      if (mib > TIMES_BUDGET * budgetMib || (mib > budgetMib && isMachineFull())) {
        hasEnded = true;
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        return;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private static boolean isMachineFull() {
    try {
      return Proc.availableMib() < MIN_AVAILABLE_MIB;
    } catch (IOException e) {
      return false;
    }
  }

  /** Peak since {@link #begin}, in MiB. */
  double peakMib() {
    return peakMib;
  }

  /** Whether it killed the process. */
  boolean hasEnded() {
    return hasEnded;
  }

  void begin() {
    peakMib = proc.residentMib();
  }

  @Override
  public void close() {
    closing = true;
  }
}
