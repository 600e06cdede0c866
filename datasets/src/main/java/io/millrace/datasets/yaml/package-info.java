/** Data sets in YAML, converted for the CSV loaders. */
package io.millrace.datasets.yaml;
