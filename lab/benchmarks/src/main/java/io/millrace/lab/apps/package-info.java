/** Which applications packets are of: a made-up trace with payload, beside nDPI's own reader. */
package io.millrace.lab.apps;
