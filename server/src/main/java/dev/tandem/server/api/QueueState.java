package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.server.inspect.LocalQueues.LocalQueue;
import dev.tandem.server.inspect.NeededOwners;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueHandlers;
import dev.tandem.task.store.PausedTasks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says in a word or two how a queue is, and in sentences what is wrong with it. Pure.
 *
 * @param word the text of the first {@link Word} that applies
 * @param problems sentences for people, for all that applies
 */
record QueueState(String word, List<String> problems) {

    private static final int MAX_NAMES = 20;

    /** The text of an executor while the queue is paused everywhere. */
    private static final String PAUSED_BY_OPERATOR = "an operator has paused the queue";

    /** The words, the worst first. */
    enum Word {
        NO_REDIS("no redis"),
        NO_BROKER("no broker"),
        PAUSED("paused"),
        NO_OWNER("no owner"),
        /** Follows a number. */
        UNOWNED("partitions unowned"),
        FULL("full"),
        SLOWED("slowed"),
        UNKNOWN_TYPES("unknown types"),
        HANDLERS_DIFFER("handlers differ"),
        PAUSED_IN_PART("paused in part"),
        RUNNING("running");

        final String text;

        Word(String text) {
            this.text = text;
        }
    }

    /**
     * Judges a queue.
     *
     * @param unavailable why Redis did not answer this request; null if it did
     * @param known the partitions that Redis knows; empty if it did not answer
     * @param lags the backlog by partition, as the broker told it; empty if it did not
     */
    static QueueState of(
            QueueSettings settings,
            LocalQueue local,
            @Nullable String unavailable,
            boolean paused,
            List<PartitionInfo> known,
            Map<String, Long> lags) {
        List<String> words = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        String redis = unavailable == null ? local.redisProblem() : unavailable;
        if (redis != null) {
            words.add(Word.NO_REDIS.text);
            problems.add(redis);
        }
        if (local.brokerProblem() != null) {
            words.add(Word.NO_BROKER.text);
            problems.add((settings.effectiveSource() == SourceType.KAFKA ? "Kafka: " : "RabbitMQ: ")
                    + local.brokerProblem());
        }
        if (paused) {
            words.add(Word.PAUSED.text);
        }
        if (unavailable == null) {
            addUnowned(settings, local, known, lags, words, problems);
        }
        if (local.full() || known.stream().anyMatch(partition -> isFull(partition, settings))) {
            words.add(Word.FULL.text);
        }
        if (local.slowed()) {
            words.add(Word.SLOWED.text);
        }
        if (local.withheld() != null && !(paused && local.withheld().equals(PAUSED_BY_OPERATOR))) {
            problems.add("In this server, " + local.withheld());
        }
        if (local.problem() != null && words.isEmpty()) {
            problems.add("In this server: " + local.problem());
        }
        if (local.waits() != null) {
            problems.add("In this server, " + local.waits());
        }
        return new QueueState(words.isEmpty() ? Word.RUNNING.text : words.get(0), List.copyOf(problems));
    }

    /** Returns this state with one more sentence, which comes first. */
    QueueState with(String problem) {
        List<String> all = new ArrayList<>(List.of(problem));
        all.addAll(problems);
        return new QueueState(word, List.copyOf(all));
    }

    /** Returns this state with the tasks that are paused. A worse word stays. */
    QueueState with(String queue, PausedTasks paused) {
        if (paused.isEmpty()) {
            return this;
        }
        List<String> all = new ArrayList<>(problems);
        paused.types().stream().sorted().forEach(type -> all.add(paused("type", type, queue)));
        paused.keys().stream().sorted().forEach(key -> all.add(paused("key", key, queue)));
        return new QueueState(word.equals(Word.RUNNING.text) ? Word.PAUSED_IN_PART.text : word, List.copyOf(all));
    }

    private static String paused(String what, String name, String queue) {
        return "An operator has paused the " + what + " '" + name + "' in all executors; ./tandem resume " + queue
                + " --" + what + " " + name + " lets it go on";
    }

    /** Returns this state with what executors say of their handlers. A worse word stays. */
    QueueState with(QueueHandlers handlers) {
        List<String> missing = handlers.missing();
        List<String> differences = handlers.differences();
        List<String> all = new ArrayList<>(problems);
        all.addAll(missing);
        all.addAll(differences);
        if (!word.equals(Word.RUNNING.text) || all.size() == problems.size()) {
            return new QueueState(word, List.copyOf(all));
        }
        return new QueueState(
                missing.isEmpty() ? Word.HANDLERS_DIFFER.text : Word.UNKNOWN_TYPES.text, List.copyOf(all));
    }

    private static void addUnowned(
            QueueSettings settings,
            LocalQueue local,
            List<PartitionInfo> known,
            Map<String, Long> lags,
            List<String> words,
            List<String> problems) {
        // A broker that cannot be reached gives nobody partitions, so only those with tasks in Redis miss an owner.
        boolean untold = lags.isEmpty() && local.brokerProblem() != null;
        Set<String> ofBroker = untold ? Set.of() : NeededOwners.ofBroker(settings, lags);
        List<String> missing = NeededOwners.missing(known, ofBroker);
        boolean anyOwned = known.stream().anyMatch(partition -> partition.owner() != null);
        if (missing.isEmpty() && (anyOwned || untold)) {
            return;
        }
        if (anyOwned) {
            boolean one = missing.size() == 1;
            words.add(one ? "1 partition unowned" : missing.size() + " " + Word.UNOWNED.text);
            problems.add("No executor owns " + (one ? "partition " : "partitions ")
                    + String.join(", ", missing.subList(0, Math.min(MAX_NAMES, missing.size())))
                    + (missing.size() > MAX_NAMES ? ", ..." : "")
                    + (one ? ", so its tasks wait" : ", so their tasks wait"));
        } else {
            words.add(Word.NO_OWNER.text);
            problems.add(
                    "No executor works on this queue: start a server or a program that runs it, or look at what their"
                            + " health says");
        }
    }

    private static boolean isFull(PartitionInfo partition, QueueSettings settings) {
        return partition.full() != null || Views.TooManyBlockedKeys.of(partition.blockedKeys(), settings) != null;
    }
}
