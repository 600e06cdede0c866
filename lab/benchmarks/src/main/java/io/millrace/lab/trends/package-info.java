/** What is rising, found in made-up page views with planted rises. */
package io.millrace.lab.trends;
