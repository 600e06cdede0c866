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
 * Receiver of a job's results in the process that started it. It counts them and passes them to a
 * consumer, and measures time and processor time of the process from the opening of the first
 * generator to the last result. Thread-safe.
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

  /** Registers a new delivery under a name; several threads call {@code looker}. */
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

  /** Starts the measurement; later calls have no effect. */
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

  long rows() {
    return rows.sum();
  }

  synchronized double seconds() {
    return (endNanos - startNanos) / 1e9;
  }

  /** Processor time of all threads of the process. */
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
