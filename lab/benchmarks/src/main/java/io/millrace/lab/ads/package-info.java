/** The published advertisement benchmark: Millrace and the engines for which it was designed. */
package io.millrace.lab.ads;
