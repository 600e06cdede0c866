package io.millrace.store.duckdb.top;

import io.millrace.store.query.GroupKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers of a set's groups, so that sums of cached buckets can be added up in arrays. Thread-safe:
 * numbers are only added.
 */
final class CachedSet {
  private final GroupKeys keys;
  private final GroupNumbers numbers;
  private final Map<List<String>, Coarser> coarser = new HashMap<>();

  CachedSet(GroupKeys keys) {
    this.keys = keys;
    numbers = new GroupNumbers(keys.longs());
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Groups(GroupKeys keys, GroupNumbers numbers, int[] of, int size) {}

  private final class Coarser {
    private final List<Integer> columns = new ArrayList<>();
    private final GroupKeys itsKeys;
    private final GroupNumbers itsNumbers;
    private int[] of = {};
    private int known;

    Coarser(List<String> names) {
      List<GroupKeys.Column> its = new ArrayList<>();
      for (String name : names) {
        for (int i = 0; i < keys.columns().size(); i++) {
          if (keys.columns().get(i).name().equals(name)) {
            columns.add(i);
            its.add(keys.columns().get(i));
          }
        }
      }
      itsKeys = new GroupKeys(its);
      itsNumbers = new GroupNumbers(itsKeys.longs());
    }

    Groups groups() {
      if (known < numbers.size()) {
        of = Arrays.copyOf(of, Math.max(numbers.size(), of.length + of.length / 2));
        long[] key = new long[keys.longs()];
        long[] projected = new long[itsKeys.longs()];
        for (; known < numbers.size(); known++) {
          numbers.key(known, key);
          keys.project(key, columns, projected);
          of[known] = itsNumbers.number(projected);
        }
      }
      return new Groups(itsKeys, itsNumbers, of, itsNumbers.size());
    }
  }

  GroupKeys keys() {
    return keys;
  }

  synchronized int[] number(long[] all, int count) {
    int longs = keys.longs();
    int[] its = new int[count];
    long[] key = new long[longs];
    for (int i = 0; i < count; i++) {
      System.arraycopy(all, i * longs, key, 0, longs);
      its[i] = numbers.number(key);
    }
    return its;
  }

  synchronized Groups by(List<String> names) {
    List<String> all = keys.columns().stream().map(GroupKeys.Column::name).toList();
    return names.equals(all)
        ? new Groups(keys, numbers, null, numbers.size())
        : coarser.computeIfAbsent(names, Coarser::new).groups();
  }

  synchronized long size() {
    long size = numbers.bytes();
    for (Coarser one : coarser.values()) {
      size += one.itsNumbers.bytes() + (long) one.of.length * Integer.BYTES;
    }
    return size;
  }
}
