/** Texts by single address, in any number, on disk. */
package io.millrace.datasets.keyvalue;
