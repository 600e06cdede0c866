package io.millrace.cli;

import io.millrace.pipelines.Pipeline;
import io.millrace.store.Store;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

final class NewsPrinter implements AutoCloseable {
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "millrace-news");
            thread.setDaemon(true);
            return thread;
          });

  NewsPrinter(List<Pipeline.News> all, Store store, PrintWriter out) {
    for (Pipeline.News news : all) {
      Supplier<String> text = news.of().apply(store);
      long millis = news.interval().toMillis();
      var unused =
          clock.scheduleWithFixedDelay(
              () -> print(text.get(), out), millis, millis, TimeUnit.MILLISECONDS);
    }
  }

  private static void print(String text, PrintWriter out) {
    if (!text.isEmpty()) {
      out.print(text);
      out.flush();
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
