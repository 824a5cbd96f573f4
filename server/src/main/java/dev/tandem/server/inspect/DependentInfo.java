package dev.tandem.server.inspect;

/** A task that waits for another one. */
public record DependentInfo(String queue, TaskRef ref) {}
