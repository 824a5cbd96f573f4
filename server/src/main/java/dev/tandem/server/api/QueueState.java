package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.server.inspect.LocalQueues.LocalQueue;
import dev.tandem.server.inspect.NeededOwners;
import dev.tandem.server.inspect.OwnerGaps;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueHandlers;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.store.PausedTasks;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Says in a word or two how a queue is, and in sentences what is wrong with it. Pure.
 *
 * @param word the text of the first {@link Word} that applies
 * @param problems sentences for people, for all that applies
 */
record QueueState(String word, List<Sentence> problems) {

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
        /** Follows a number. */
        NEW("partitions new"),
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
        List<Sentence> problems = new ArrayList<>();
        String redis = unavailable == null ? local.redisProblem() : unavailable;
        if (redis != null) {
            words.add(Word.NO_REDIS.text);
            problems.add(Sentence.quote(redis));
        }
        if (local.brokerProblem() != null) {
            words.add(Word.NO_BROKER.text);
            problems.add(Sentence.of(
                    settings.effectiveSource() == SourceType.KAFKA ? "queue.kafka" : "queue.rabbitmq",
                    Sentence.quote(local.brokerProblem())));
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
            problems.add(Sentence.of("queue.here", Sentence.quote(local.withheld())));
        }
        if (local.problem() != null && words.isEmpty()) {
            problems.add(Sentence.of("queue.here-problem", Sentence.quote(local.problem())));
        }
        if (local.waits() != null) {
            problems.add(Sentence.of("queue.here", Sentence.quote(local.waits())));
        }
        if (local.forgotten() != null) {
            problems.add(Sentence.of("queue.forgotten", Sentence.quote(local.forgotten())));
        }
        return new QueueState(words.isEmpty() ? Word.RUNNING.text : words.get(0), List.copyOf(problems));
    }

    /** Returns this state with one more sentence, which comes first. */
    QueueState with(Sentence problem) {
        List<Sentence> all = new ArrayList<>(List.of(problem));
        all.addAll(problems);
        return new QueueState(word, List.copyOf(all));
    }

    /** Returns this state with the tasks that are paused. A worse word stays. */
    QueueState with(String queue, PausedTasks paused) {
        if (paused.isEmpty()) {
            return this;
        }
        List<Sentence> all = new ArrayList<>(problems);
        paused.types().stream().sorted().forEach(type -> all.add(Sentence.of("queue.paused-type", type, queue)));
        paused.keys().stream().sorted().forEach(key -> all.add(Sentence.of("queue.paused-key", key, queue)));
        return new QueueState(word.equals(Word.RUNNING.text) ? Word.PAUSED_IN_PART.text : word, List.copyOf(all));
    }

    /** Returns this state with what executors say of their handlers. A worse word stays. */
    QueueState with(QueueHandlers handlers) {
        List<Sentence> missing = handlers.missing();
        List<Sentence> differences = handlers.differences();
        List<Sentence> all = new ArrayList<>(problems);
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
            List<Sentence> problems) {
        // A broker that cannot be reached gives nobody partitions, so only those with tasks in Redis miss an owner.
        boolean untold = lags.isEmpty() && local.brokerProblem() != null;
        Set<String> ofBroker = untold ? Set.of() : NeededOwners.ofBroker(settings, lags);
        List<String> missing = NeededOwners.missing(known, ofBroker);
        boolean anyOwned = known.stream().anyMatch(partition -> partition.owner() != null);
        if (missing.isEmpty() && (anyOwned || untold)) {
            return;
        }
        if (anyOwned) {
            addUnowned(settings, local.gaps(), missing, names(known), words, problems);
        } else {
            words.add(Word.NO_OWNER.text);
            problems.add(Sentence.of("queue.no-owner"));
        }
    }

    /** Tells partitions that have no owner yet from those that have lost theirs. */
    private static void addUnowned(
            QueueSettings settings,
            OwnerGaps gaps,
            List<String> missing,
            Set<String> known,
            List<String> words,
            List<Sentence> problems) {
        Map<Boolean, List<String>> byNew = missing.stream()
                .collect(Collectors.partitioningBy(name -> !known.contains(name)
                        && (gaps.of(name).isZero() || gaps.of(name).compareTo(gaps.usual()) < 0)));
        List<String> lost = byNew.getOrDefault(false, List.of());
        List<String> added = byNew.getOrDefault(true, List.of());
        if (!lost.isEmpty()) {
            words.add(counted(lost, Word.UNOWNED));
            long seconds = lasting(gaps, lost);
            problems.add(Sentence.of(
                    "queue.unowned" + (seconds == 0 ? "" : "-lasting") + (lost.size() == 1 ? "-one" : ""),
                    named(lost),
                    seconds));
        }
        if (!added.isEmpty()) {
            words.add(counted(added, Word.NEW));
            long seconds = lasting(gaps, added);
            problems.add(Sentence.of(
                    "queue.new-of-" + settings.effectiveSource().name().toLowerCase(Locale.ROOT)
                            + (added.size() == 1 ? "-one" : ""),
                    named(added),
                    seconds == 0 ? Sentence.NOTHING : Sentence.of("queue.lasting", seconds)));
        }
    }

    private static Set<String> names(List<PartitionInfo> known) {
        return known.stream().map(PartitionInfo::partition).collect(Collectors.toSet());
    }

    private static String counted(List<String> names, Word word) {
        return names.size() == 1
                ? "1 " + word.text.replaceFirst("partitions", "partition")
                : names.size() + " " + word.text;
    }

    private static Sentence named(List<String> names) {
        String some = String.join(", ", names.subList(0, Math.min(MAX_NAMES, names.size())))
                + (names.size() > MAX_NAMES ? ", ..." : "");
        return Sentence.of(names.size() == 1 ? "queue.partition" : "queue.partitions", some);
    }

    /** Returns for how many seconds the first of these has had no owner; 0 if that is not known. */
    private static long lasting(OwnerGaps gaps, List<String> names) {
        return names.stream().mapToLong(name -> gaps.of(name).toSeconds()).max().orElse(0);
    }

    private static boolean isFull(PartitionInfo partition, QueueSettings settings) {
        return partition.full() != null || Views.TooManyBlockedKeys.of(partition.blockedKeys(), settings) != null;
    }
}
