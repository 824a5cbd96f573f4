package dev.tandem.executor;

import dev.tandem.api.FanOut;
import dev.tandem.api.FanOutRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.ordering.Run;
import dev.tandem.task.FannedOut;
import dev.tandem.task.LogText;
import dev.tandem.task.Outcome;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The fan-outs of one attempt. Thread-safe. */
final class AttemptFanOuts {

    private final Run run;
    private final QueueSpec spec;
    /** By name. Guarded by this. */
    private final Map<String, FanOutWriter> writers = new LinkedHashMap<>();

    private volatile boolean ofCopy;

    AttemptFanOuts(Run run, QueueSpec spec) {
        this.run = run;
        this.spec = spec;
    }

    FanOutRef fanOut(Stream<? extends TaskRequest<?>> subtasks, FanOut plan) throws InterruptedException {
        try (subtasks) {
            FanOuts fanOuts = spec.parts().fanOuts();
            if (fanOuts == null) {
                throw new UnsupportedOperationException("Queue '" + spec.name()
                        + "' cannot fan out here: its program was given nothing that publishes");
            }
            FanOutWriter writer = new FanOutWriter(run, spec, fanOuts, plan);
            synchronized (this) {
                if (writers.putIfAbsent(plan.name(), writer) != null) {
                    throw new IllegalStateException("The task has fanned out as '" + plan.name()
                            + "' already: give each of its fan-outs a name of its own, with named(...)");
                }
            }
            try {
                return writer.write(subtasks.iterator());
            } catch (CopyException e) {
                ofCopy = true;
                throw e;
            }
        }
    }

    /** Returns whether the task is a copy of a subtask that fans out, or has fanned out, itself. */
    boolean isOfCopy() {
        return ofCopy;
    }

    /** Notes the fan-outs for the next run, and which streams will not go on, because the task has ended. */
    void ended(Outcome outcome) {
        run.recordFanOuts(keptUntil());
        String why = why(outcome);
        FanOuts fanOuts = spec.parts().fanOuts();
        FanOutRequest.End end = FanOutGate.end(outcome);
        if (why == null || end == null || fanOuts == null) {
            return;
        }
        List<FanOutWriter> open;
        synchronized (this) {
            open = new ArrayList<>(writers.values());
        }
        String text = LogText.oneLine(why, FanOutRecord.MAX_ERROR);
        List<FanOutRequest.Abandon> givenUp = open.stream()
                .filter(FanOutWriter::isOpen)
                .map(each -> new FanOutRequest.Abandon(each.id(), run.token(), end, text))
                .toList();
        if (!givenUp.isEmpty()) {
            fanOuts.noteGivenUp(run, givenUp);
        }
    }

    /** Returns the fan-outs to which the handler has come, with the times until which they are kept at least. */
    synchronized Map<String, Long> keptUntil() {
        return writers.values().stream()
                .filter(each -> each.keptUntil() != FannedOut.NEVER)
                .collect(Collectors.toMap(FanOutWriter::id, FanOutWriter::keptUntil));
    }

    /** Returns why the stream of a master does not go on that ended so; null if it has not ended. */
    static @Nullable String why(Outcome outcome) {
        if (!outcome.isFinal()) {
            return null;
        } else if (outcome instanceof Outcome.Dead dead) {
            return "its master died: " + dead.error().lines().findFirst().orElse("");
        } else if (outcome instanceof Outcome.Expired) {
            return "its master expired";
        } else if (outcome instanceof Outcome.Cancelled) {
            return "its master was cancelled";
        }
        return "its master ended without its stream";
    }
}
