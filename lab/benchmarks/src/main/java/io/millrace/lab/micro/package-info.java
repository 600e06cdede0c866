/** One thread, from memory to memory: decoding and look-ups. */
package io.millrace.lab.micro;
