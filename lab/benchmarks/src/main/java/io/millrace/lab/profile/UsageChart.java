package io.millrace.lab.profile;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A chart of {@link Usage}: use of each core over time, stacked by process; mean and coefficient of
 * variation of cores and processes; and the cores on which the busiest threads ran.
 */
final class UsageChart {
  private static final int WIDTH = 900;
  private static final int LEFT = 60;
  private static final int CHART = 120;
  private static final int GAP = 40;
  private static final int LINE = 18;
  private static final int THREADS = 6; // per process: steps, source and compilers
  private static final int BAR = 300;

  private UsageChart() {}

  static String of(String title, Usage usage, double secondsALook) {
    List<String> processes = usage.processes();
    List<Map.Entry<String, double[]>> threads = usage.placement(THREADS);
    int height =
        GAP
            + usage.cores() * (CHART + GAP)
            + (processes.size() + threads.size() + 3) * LINE
            + 2 * GAP;
    Svg svg = new Svg(WIDTH + 2 * LEFT, height);
    svg.text(LEFT, 20, title);
    int top = GAP;
    for (int core = 0; core < usage.cores(); core++, top += CHART + GAP) {
      drawCore(svg, usage, core, top, secondsALook);
    }
    for (int i = 0; i < processes.size(); i++, top += LINE) {
      Usage.Statistics use = usage.ofProcess(processes.get(i));
      svg.box(LEFT, top - 10, 12, 12, Svg.colour(i), processes.get(i));
      svg.text(
          LEFT + 20,
          top,
          String.format(
              Locale.ROOT,
              "%s: %.2f cores, coefficient of variation %.2f",
              processes.get(i),
              use.mean(),
              use.variation()));
    }
    top += GAP / 2;
    svg.text(
        LEFT, top, "Seconds of the busiest threads of each process, by the core on which they ran");
    drawPlacement(svg, threads, top + LINE);
    return svg.toString();
  }

  private static void drawCore(Svg svg, Usage usage, int core, int top, double secondsALook) {
    List<String> processes = usage.processes();
    Usage.Statistics use = usage.ofCore(core);
    svg.text(
        LEFT,
        top - 6,
        String.format(
            Locale.ROOT,
            "core %d: mean %.0f%%, coefficient of variation %.2f; %.1f s per column",
            core,
            use.mean() * 100,
            use.variation(),
            secondsALook));
    svg.box(LEFT, top, WIDTH, CHART, "#f2f2f2", "100%");
    double width = WIDTH / (double) Math.max(1, usage.size());
    for (int look = 0; look < usage.size(); look++) {
      double foot = top + CHART;
      for (int i = 0; i < processes.size(); i++) {
        double share = usage.share(look, processes.get(i), core);
        double height = Math.min(share * CHART, foot - top);
        if (height > 0) {
          foot -= height;
          svg.box(LEFT + look * width, foot, width, height, Svg.colour(i), processes.get(i));
        }
      }
    }
  }

  private static void drawPlacement(Svg svg, List<Map.Entry<String, double[]>> threads, int first) {
    double most =
        threads.stream().mapToDouble(thread -> Usage.sum(thread.getValue())).max().orElse(1);
    int top = first;
    for (Map.Entry<String, double[]> thread : threads) {
      double left = LEFT;
      for (int core = 0; core < thread.getValue().length; core++) {
        double seconds = thread.getValue()[core];
        double width = seconds / Math.max(most, 1e-9) * BAR;
        String words = String.format(Locale.ROOT, "core %d: %.1f s", core, seconds);
        svg.box(left, top - 10, width, 12, Svg.colour(core + 3), words);
        left += width;
      }
      svg.text(LEFT + BAR + 10, top, thread.getKey());
      top += LINE;
    }
  }
}
