/** To be written. */
package io.millrace.engine.checker;
