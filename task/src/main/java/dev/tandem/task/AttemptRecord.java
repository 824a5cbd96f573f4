package dev.tandem.task;

/**
 * One attempt of a task, as it is kept for people.
 *
 * @param number 1 for the first start
 * @param startedAt by the clock of its executor, in epoch milliseconds; 0 if unknown
 * @param durationMillis how long it ran; 0 if unknown
 * @param executor the process that ran it; empty if unknown
 * @param error how it failed, in a line; empty if it succeeded
 */
public record AttemptRecord(int number, long startedAt, long durationMillis, String executor, String error) {}
