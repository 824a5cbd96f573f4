package dev.tandem.executor;

import dev.tandem.task.LogText;
import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HandlerPeer;
import java.time.Duration;
import java.util.Collection;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether the executors of a queue have the same handlers. Tells people what this one lacks, and lets it give up its
 * partitions while it is refused. Used by the loop's thread only.
 */
final class HandlerWatch {

    private static final Logger log = LoggerFactory.getLogger(HandlerWatch.class);

    private static final int MAX_NAMED = 10;

    private static final int MAX_NAME = 100;

    private final String queue;
    private final ExecutorClock clock;
    private final Supplier<Collection<HandlerPeer>> peers;
    private final HandlerAgreement agreement;
    private final UnhandledPolicy rule;
    private final RecentUnhandledTypes unhandled;
    private final HandlerComparison comparison;
    private final LoopSource source;
    private final LoopStatus status;
    private SortedMap<String, String> lacked = new TreeMap<>();

    HandlerWatch(
            QueueSpec spec,
            ExecutorContext context,
            RecentUnhandledTypes unhandled,
            HandlerComparison comparison,
            LoopSource source,
            LoopStatus status) {
        this.queue = spec.name();
        this.clock = context.clock();
        this.peers = () -> context.peers().apply(queue);
        this.rule = spec.handlers().unhandledPolicy();
        this.agreement =
                new HandlerAgreement(context.executorId(), spec.handlers().handled(), rule);
        this.unhandled = unhandled;
        this.comparison = comparison;
        this.source = source;
        this.status = status;
    }

    /** Looks again. To be called about every second. */
    void check() {
        long now = clock.millis();
        HandlerAgreement.Verdict verdict = agreement.check(now, status.works(), peers.get());
        comparison.compared(verdict);
        String names = names(verdict.lacked());
        if (verdict.refused() != source.isRefused()) {
            refuse(verdict.refused(), names);
        } else if (!verdict.lacked().keySet().equals(lacked.keySet())) {
            tell(verdict, names);
        }
        lacked = verdict.lacked();
        status.handlers(
                verdict.refused() ? refusal(names) : null,
                verdict.refused() ? null : waits(verdict, names, unhandled.text(now)));
    }

    private void refuse(boolean refused, String names) {
        source.refuse(refused);
        if (refused) {
            log.error(
                    "Queue {}: {}. It gives up its partitions until it has them, or the others have left",
                    queue,
                    refusal(names));
        } else {
            log.info(
                    "Queue {}: this executor lacks no accepted handlers any more, so it takes partitions again", queue);
        }
    }

    private void tell(HandlerAgreement.Verdict verdict, String names) {
        if (verdict.lacked().isEmpty()) {
            log.info("Queue {}: no other executor has handlers any more that this one lacks", queue);
        } else {
            log.warn(
                    "Queue {}: this executor has no handler for {}. It is given such tasks too{}",
                    queue,
                    names,
                    ends(verdict));
        }
    }

    private String ends(HandlerAgreement.Verdict verdict) {
        return verdict.willBeRefused()
                ? ", and is refused if it still lacks handlers in "
                        + Duration.ofSeconds(verdict.refusedInMillis() / 1_000)
                : "";
    }

    private String refusal(String names) {
        return "refused, because for longer than unknown-type-grace (" + rule.grace() + ") it has had no handler for "
                + names + ". All executors of a queue need the same handlers: add those that are missing, or give this"
                + " program a queue of its own. handlers-mismatch: warn would let it go on";
    }

    private @Nullable String waits(HandlerAgreement.Verdict verdict, String names, @Nullable String seen) {
        StringJoiner reasons = new StringJoiner("; ").setEmptyValue("");
        if (seen != null) {
            reasons.add("there is no handler for " + seen
                    + ", so these tasks are tried again until unknown-type-grace (" + rule.grace() + ") is over");
        }
        if (!verdict.lacked().isEmpty()) {
            reasons.add("this executor lacks handlers that other executors have: " + names + ends(verdict));
        }
        return reasons.length() == 0 ? null : reasons.toString();
    }

    /** Names types, and who has them. */
    private static String names(SortedMap<String, String> lacked) {
        StringJoiner names = new StringJoiner(", ");
        lacked.entrySet().stream()
                .limit(MAX_NAMED)
                .forEach(each -> names.add(HandledTypes.describe(LogText.oneLine(each.getKey(), MAX_NAME))
                        + " (executor " + each.getValue() + " has one)"));
        if (lacked.size() > MAX_NAMED) {
            names.add(lacked.size() - MAX_NAMED + " more");
        }
        return names.toString();
    }
}
