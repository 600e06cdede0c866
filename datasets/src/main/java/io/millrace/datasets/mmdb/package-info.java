/** Reader of MaxMind DB files, for range sets. */
package io.millrace.datasets.mmdb;
