package dev.tandem.task.store;

/**
 * What the store answers to a {@link RateRequest}.
 *
 * @param atMicros when the store answered, by its own clock
 * @param tokens how many are reserved
 * @param firstMicros from then until the first may be used; negative if it might have been before. Each further one may be used an
 *     interval later
 * @param nextMillis the time until a further one can be reserved
 * @param intervalMicros the interval in force: that of the request, unless an operator has set another one
 */
public record RateAnswer(long atMicros, int tokens, long firstMicros, long nextMillis, long intervalMicros) {}
