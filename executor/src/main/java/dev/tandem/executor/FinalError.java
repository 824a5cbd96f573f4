package dev.tandem.executor;

/** Marks an exception that no further attempt can cure: the task is dead at once. */
public interface FinalError {}
