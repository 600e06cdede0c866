/** Application detection: a synthetic trace with payload, compared with nDPI's reader. */
package io.millrace.lab.apps;
