/** The published advertisement benchmark: this engine and those for which it was made. */
package io.millrace.lab.ads;
