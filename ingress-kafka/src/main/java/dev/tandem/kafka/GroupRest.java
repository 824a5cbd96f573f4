package dev.tandem.kafka;

import org.apache.kafka.common.errors.AuthorizationException;

/**
 * Whether this process should be outside the consumer group, as the queue's loop wishes. A sole member stays: nobody
 * would go on with its partitions, and it could continue at once. Used by the polling thread only.
 */
final class GroupRest {

    private static final long ASK_AGAIN_MILLIS = 1_000;

    private final KafkaClients clients;
    private final AnswerQueue answers;
    private final MonotonicClock clock;
    private boolean wanted;
    private boolean hasOthers;
    private long askAt;
    /** The number of the current wish, so that an answer for an earlier one is recognised. */
    private int wish;

    GroupRest(KafkaClients clients, AnswerQueue answers, MonotonicClock clock) {
        this.clients = clients;
        this.answers = answers;
        this.clock = clock;
    }

    void want(boolean rest) {
        wanted = rest;
        hasOthers = false;
        askAt = clock.now();
        wish++;
    }

    /** Whether the group must not be joined for now. */
    boolean isWanted() {
        return wanted;
    }

    /** Returns whether to leave the group now. Asks for its members every second while leaving it is wanted. */
    boolean mustLeave() {
        if (wanted && !hasOthers && clock.now() >= askAt) {
            int asking = wish;
            askAt = Long.MAX_VALUE;
            answers.onAnswer(
                    clients.admin().groupMembers(),
                    members -> answered(asking, members > 1),
                    // Where the members are secret, there may be others.
                    problem -> answered(asking, problem instanceof AuthorizationException));
        }
        return wanted && hasOthers;
    }

    private void answered(int asking, boolean others) {
        if (asking == wish) {
            hasOthers = others;
            askAt = clock.now() + ASK_AGAIN_MILLIS;
        }
    }
}
