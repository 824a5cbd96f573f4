package dev.tandem.executor;

/**
 * The tasks of a rate limit that this executor makes wait.
 *
 * @param name the limit
 * @param waiting the tasks that were started here and wait for a token
 * @param limited how many tasks had to wait since this process began
 */
public record RateStatus(String name, int waiting, long limited) {}
