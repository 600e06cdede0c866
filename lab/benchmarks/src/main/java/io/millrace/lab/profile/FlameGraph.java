package io.millrace.lab.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** A flame graph of JFR recordings; a frame is as wide as the number of samples that contain it. */
final class FlameGraph {
  private static final int WIDTH = 1_200;
  private static final int FRAME = 16;
  private static final double NARROWEST = 1;
  private static final double LETTER = 6.6;
  private static final String SAMPLE = "jdk.ExecutionSample";

  private static final class Node {
    private final Map<String, Node> callees = new TreeMap<>();
    private long samples;
  }

  private final Node root = new Node();
  private final Predicate<Instant> isDrawn;

  /**
   * @param isDrawn selects samples by time
   */
  FlameGraph(Predicate<Instant> isDrawn) {
    this.isDrawn = isDrawn;
  }

  /** Adds a stack, the outermost method first. */
  void add(List<String> stack) {
    Node node = root;
    node.samples++;
    for (String method : stack) {
      node = node.callees.computeIfAbsent(method, none -> new Node());
      node.samples++;
    }
  }

  /** Adds the selected samples of a recording, below the names of process and thread. */
  void add(String process, Path recording) throws IOException {
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        if (event.getEventType().getName().equals(SAMPLE)
            && event.getStackTrace() != null
            && isDrawn.test(event.getStartTime())) {
          add(stack(process, event));
        }
      }
    }
  }

  private static List<String> stack(String process, RecordedEvent event) {
    List<RecordedFrame> frames = event.getStackTrace().getFrames();
    List<String> stack = new ArrayList<>(List.of(process));
    if (event.getThread("sampledThread") != null) {
      stack.add(String.valueOf(event.getThread("sampledThread").getJavaName()));
    }
    for (int i = frames.size() - 1; i >= 0; i--) {
      String type = frames.get(i).getMethod().getType().getName();
      stack.add(
          type.substring(type.lastIndexOf('.') + 1) + '.' + frames.get(i).getMethod().getName());
    }
    return stack;
  }

  long samples() {
    return root.samples;
  }

  String svg(String title) {
    int depth = depth(root);
    Svg svg = new Svg(WIDTH, (depth + 3) * FRAME);
    svg.text(4, FRAME, title + ", " + root.samples + " samples");
    draw(svg, root, 0, (depth + 2) * FRAME, WIDTH / (double) Math.max(1, root.samples));
    return svg.toString();
  }

  private static int depth(Node node) {
    return 1 + node.callees.values().stream().mapToInt(FlameGraph::depth).max().orElse(0);
  }

  private void draw(Svg svg, Node node, double left, double foot, double width) {
    double at = left;
    for (Map.Entry<String, Node> callee : node.callees.entrySet()) {
      double wide = callee.getValue().samples * width;
      if (wide >= NARROWEST) {
        String title = callee.getKey() + ": " + callee.getValue().samples;
        String colour = Svg.colour(Math.floorMod(callee.getKey().hashCode(), 7));
        svg.box(at, foot - FRAME, wide, FRAME - 1, colour, title);
        int letters = (int) (wide / LETTER);
        if (letters > 3) {
          String name = callee.getKey();
          svg.text(at + 2, foot - 4, name.substring(0, Math.min(name.length(), letters)));
        }
        draw(svg, callee.getValue(), at, foot - FRAME, width);
      }
      at += wide;
    }
  }
}
