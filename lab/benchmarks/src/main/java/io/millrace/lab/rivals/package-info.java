/**
 * Other engines for comparison, each in its own processes. Their programs are single source files
 * among the resources of this package, compiled when they run. The product's jar has none of their
 * classes.
 */
package io.millrace.lab.rivals;
