package io.millrace.traffic.model;

/** Two hosts and what they talk about; reused for another one when its samples are used up. */
final class Conversation {
  int clientNetwork;
  int serverNetwork;
  boolean v6;
  long clientHigh;
  long clientLow;
  long serverHigh;
  long serverLow;
  Application application = Application.HTTPS;
  int clientPort;
  int serverPort;
  int tos;
  int clientHops;
  int serverHops;

  /** How many more times it will be sampled. */
  int samplesLeft;
}
