/**
 * A week in an hour: rows of a simulated week go through the real store, with its rollups and its
 * retention, on a clock that runs faster. What is looked at is what a store that lasts must not let
 * grow: file, memory, age of the newest row, time for an answer.
 */
package io.millrace.lab.week;
