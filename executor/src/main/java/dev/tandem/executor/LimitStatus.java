package dev.tandem.executor;

/**
 * The permits that this executor has of a limit, and the tasks that use or await them.
 *
 * @param name the limit
 * @param max the most tasks that run at once in all executors, as Redis has said last; by the settings before that
 * @param held the permits that this executor holds
 * @param used the tasks that run here with one
 * @param waiting the tasks that were started here and wait for one
 */
public record LimitStatus(String name, int max, int held, int used, int waiting) {}
