/** Opens a data set of any kind, by its settings. */
package io.millrace.datasets.catalog;
