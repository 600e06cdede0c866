package io.millrace.lab.nexmark;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.TableBlock;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Where a job's results arrive, in the process that started it: counted, and shown to whoever
 * checks them. Also the stop-watch, of time and of the processor time of the whole process: from
 * when the first generator is open until the last result has come. Thread-safe.
 */
final class Delivery {
  private static final Map<String, Delivery> ALL = new ConcurrentHashMap<>();

  private final LongAdder rows = new LongAdder();
  private final Consumer<TableBlock> looker;
  private long startNanos;
  private long startCpu;
  private long endNanos;
  private long endCpu;

  private Delivery(Consumer<TableBlock> looker) {
    this.looker = looker;
  }

  /** A new one under that name; {@code looker} is called by several threads. */
  static Delivery to(String name, Consumer<TableBlock> looker) {
    Delivery delivery = new Delivery(looker);
    ALL.put(name, delivery);
    return delivery;
  }

  static Delivery named(String name) {
    return ALL.get(name);
  }

  static void forget(String name) {
    ALL.remove(name);
  }

  /** Says that the work begins; only the first call counts. */
  synchronized void begin() {
    if (startNanos == 0) {
      startNanos = System.nanoTime();
      startCpu = processCpuNanos();
    }
  }

  private synchronized void end() {
    endNanos = System.nanoTime();
    endCpu = processCpuNanos();
  }

  private static long processCpuNanos() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getProcessCpuTime();
  }

  /** Rows that have come. */
  long rows() {
    return rows.sum();
  }

  synchronized double seconds() {
    return (endNanos - startNanos) / 1e9;
  }

  /** Seconds of one processor that all threads of the process took together. */
  synchronized double cpuSeconds() {
    return (endCpu - startCpu) / 1e9;
  }

  /** The last step of a job. */
  static final class Step implements Analyzer<TableBlock, TableBlock> {
    private final Delivery delivery;

    Step(String name) {
      delivery = named(name);
    }

    @Override
    public void process(TableBlock block, Emitter<TableBlock> out) {
      delivery.rows.add(block.rows());
      delivery.looker.accept(block);
    }

    @Override
    public void watermark(long micros, Emitter<TableBlock> out) {
      if (micros == Long.MAX_VALUE) {
        delivery.end();
      }
    }
  }
}
