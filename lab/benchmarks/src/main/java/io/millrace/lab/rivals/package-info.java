/**
 * Other engines compared with ours, each in processes of its own: programs in one source file,
 * which stand among the resources of this package and are compiled when they are run. None of their
 * classes is in the product's jar.
 */
package io.millrace.lab.rivals;
