/**
 * Which applications packets are of: a made-up trace with payload, compared with nDPI's own reader.
 */
package io.millrace.lab.apps;
