/**
 * What tests of all modules share; how properties are run jqwik finds where it is on the class
 * path.
 */
package io.millrace.testing;
