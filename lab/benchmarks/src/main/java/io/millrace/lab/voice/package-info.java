/** How fast messages become commands to controllers. */
package io.millrace.lab.voice;
