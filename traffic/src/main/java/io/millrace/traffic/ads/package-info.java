/** Events of an advertisement network that never was. */
package io.millrace.traffic.ads;
