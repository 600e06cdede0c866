/** What a benchmark is, and what it is given. */
package io.millrace.lab.harness;
