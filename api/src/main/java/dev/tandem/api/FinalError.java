package dev.tandem.api;

/**
 * Marks an exception that another attempt cannot cure. If a handler throws one, the task is dead at once, however many
 * attempts it has left.
 */
public interface FinalError {}
