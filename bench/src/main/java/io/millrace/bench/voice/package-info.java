/** How fast messages become commands to controllers. */
package io.millrace.bench.voice;
