package io.millrace.cli.browser;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;

/**
 * Reduces screenshots to 256 colours, which is a third of the size, by median cut: the box with the
 * largest extent, weighted by pixels, is split at its median, and each box is replaced by its mean.
 */
final class PalettePng {
  private static final int COLORS = 256;

  private PalettePng() {}

  /** Reduces the given files in place. */
  public static void main(String[] files) throws IOException {
    for (String file : files) {
      Files.write(Path.of(file), of(Files.readAllBytes(Path.of(file))));
    }
  }

  static byte[] of(byte[] png) throws IOException {
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
    Map<Integer, Integer> pixels = new HashMap<>();
    for (int y = 0; y < image.getHeight(); y++) {
      for (int x = 0; x < image.getWidth(); x++) {
        pixels.merge(image.getRGB(x, y) & 0xFF_FFFF, 1, Integer::sum);
      }
    }
    List<Box> boxes = boxes(pixels);
    int[] palette = new int[boxes.size()];
    Map<Integer, Integer> place = new HashMap<>();
    for (int i = 0; i < palette.length; i++) {
      palette[i] = boxes.get(i).mean(pixels);
      for (int color : boxes.get(i).colors) {
        place.put(color, i);
      }
    }
    IndexColorModel model =
        new IndexColorModel(8, palette.length, palette, 0, false, -1, DataBuffer.TYPE_BYTE);
    BufferedImage small =
        new BufferedImage(
            image.getWidth(), image.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, model);
    for (int y = 0; y < image.getHeight(); y++) {
      for (int x = 0; x < image.getWidth(); x++) {
        int color = image.getRGB(x, y) & 0xFF_FFFF;
        small.getRaster().setSample(x, y, 0, place.get(color));
      }
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ImageIO.write(small, "png", out);
    return out.toByteArray();
  }

  private static List<Box> boxes(Map<Integer, Integer> pixels) {
    List<Box> boxes = new ArrayList<>(List.of(new Box(new ArrayList<>(pixels.keySet()), pixels)));
    while (boxes.size() < COLORS) {
      Box widest = boxes.stream().max(Comparator.comparingDouble(box -> box.weight)).orElseThrow();
      if (widest.colors.size() < 2) {
        return boxes;
      }
      boxes.remove(widest);
      boxes.addAll(widest.divided(pixels));
    }
    return boxes;
  }

  private static final class Box {
    private final List<Integer> colors;
    private final int longest; // shift of the component that differs most
    private final double weight;

    Box(List<Integer> colors, Map<Integer, Integer> pixels) {
      this.colors = colors;
      int shift = 0;
      int length = -1;
      for (int each : new int[] {16, 8, 0}) {
        int low = colors.stream().mapToInt(color -> color >> each & 0xFF).min().orElseThrow();
        int high = colors.stream().mapToInt(color -> color >> each & 0xFF).max().orElseThrow();
        if (high - low > length) {
          length = high - low;
          shift = each;
        }
      }
      longest = shift;
      long all = colors.stream().mapToLong(pixels::get).sum();
      weight = colors.size() < 2 ? -1 : length * Math.sqrt((double) all);
    }

    List<Box> divided(Map<Integer, Integer> pixels) {
      colors.sort(Comparator.comparingInt(color -> color >> longest & 0xFF));
      long all = colors.stream().mapToLong(pixels::get).sum();
      long before = 0;
      int cut = 0;
      while (cut < colors.size() - 1 && (cut == 0 || before * 2 < all)) {
        before += pixels.get(colors.get(cut++));
      }
      return List.of(
          new Box(new ArrayList<>(colors.subList(0, cut)), pixels),
          new Box(new ArrayList<>(colors.subList(cut, colors.size())), pixels));
    }

    int mean(Map<Integer, Integer> pixels) {
      long all = colors.stream().mapToLong(pixels::get).sum();
      int mean = 0;
      for (int shift : new int[] {16, 8, 0}) {
        long sum = colors.stream().mapToLong(c -> (long) (c >> shift & 0xFF) * pixels.get(c)).sum();
        mean |= (int) ((sum + all / 2) / all) << shift;
      }
      return mean;
    }
  }
}
