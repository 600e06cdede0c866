/** Test support of all modules; jqwik finds the hook for properties on the class path. */
package io.millrace.testing;
