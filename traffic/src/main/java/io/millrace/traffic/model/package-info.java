/** Who talks to whom: networks, applications, the rhythm of a day, attacks; a packet at a time. */
package io.millrace.traffic.model;
