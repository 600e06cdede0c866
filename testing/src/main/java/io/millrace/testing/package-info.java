/** How the property tests of all modules are run; found by jqwik where it is on the class path. */
package io.millrace.testing;
