package dev.tandem.server.inspect;

/** A task that waits for another one. */
public record WaitingInfo(String queue, TaskRef ref) {}
