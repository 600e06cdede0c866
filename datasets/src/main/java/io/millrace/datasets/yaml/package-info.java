/** Data sets that are written in YAML, for the loaders of CSV. */
package io.millrace.datasets.yaml;
