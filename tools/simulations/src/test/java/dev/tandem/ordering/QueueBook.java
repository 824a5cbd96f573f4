package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Facts that the parts of a message queue's oracle share. Tasks are identified by their content, not by position. */
final class QueueBook {

    static final long NEVER_LOST = Long.MIN_VALUE / 2;

    record Place(Partition partition, Position position) {
        static Place of(Run run) {
            return new Place(run.partition(), run.position());
        }
    }

    record Token(Partition partition, long token) {
        static Token of(Run run) {
            return new Token(run.partition(), run.token());
        }
    }

    final MessageGroups groups = new MessageGroups();

    // ---- claims, by token ----

    /** The task that began under each token. */
    final Map<Token, SimTask> byToken = new HashMap<>();
    /** The write that recorded each claim. */
    final Map<Token, Long> claimedAt = new HashMap<>();
    /** The store has forgotten them. */
    final Set<Token> forgotten = new HashSet<>();
    /** The store has forgotten them, and nothing shows that. */
    final Set<Token> silentlyForgotten = new HashSet<>();
    /**
     * Positions that a process claimed or scheduled when the broker had taken their messages back already, and it did
     * not know that yet.
     */
    final Set<Place> stale = new HashSet<>();
    /** Claims of stale positions. */
    final Set<Token> staleTokens = new HashSet<>();

    // ---- tasks ----

    final Set<SimTask> begun = new HashSet<>();
    /** Succeeded or dead, recorded or not. */
    final Set<SimTask> ended = new HashSet<>();
    /** The store was given them with their delay. */
    final Set<SimTask> scheduled = new HashSet<>();
    /** The write that recorded the success of each, unless the store has forgotten it. */
    final Map<SimTask, Long> successAt = new HashMap<>();
    /** How many claims of each have lapsed. */
    final Map<SimTask, Integer> lapses = new HashMap<>();

    /** When the store forgot writes last. */
    long lastLoss = NEVER_LOST;

    boolean isStale(Run run) {
        return stale.contains(Place.of(run));
    }

    boolean isForgotten(Run run) {
        return forgotten.contains(Token.of(run));
    }

    boolean isSilentlyForgotten(Run run) {
        return silentlyForgotten.contains(Token.of(run));
    }
}
