/** Opens data sets of any kind. */
package io.millrace.datasets.catalog;
