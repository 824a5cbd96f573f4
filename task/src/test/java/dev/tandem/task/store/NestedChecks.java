package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.FanOutRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Checks each fan-out of a {@link NestedHistory} when it completes: all of its subtasks have ended, those that fan out with their own
 * fan-outs and with the runs that came to those last. A run that was frozen, and whose subtask has ended without it, publishes nothing.
 */
final class NestedChecks {

    /** The subtasks whose ends were told, by fan-out and number. */
    private final Set<String> told = new HashSet<>();

    private final Set<NestedTask> complete = new HashSet<>();
    /** Subtasks whose fan-outs began after they had ended. */
    private final Set<NestedTask> late = new HashSet<>();

    private static String name(NestedTask master, long number) {
        return master.own + "/" + number;
    }

    /** @param record of the fan-out, behind the request */
    void applied(FanOutRequest request, FanOutAnswer answer, NestedTask its, @Nullable FanOutRecord record) {
        if (request instanceof FanOutRequest.Open open && record != null && record.token() == open.token()) {
            NestedTask master = its.master;
            if (!its.hasCome() && master != null && told.contains(name(master, its.number))) {
                late.add(its);
            }
            its.cameWith(open.token());
        } else if (request instanceof FanOutRequest.Abandon abandon && answer.code() != Code.FENCED) {
            its.toldOf(abandon.token());
        } else if (request instanceof FanOutRequest.Tell tell && answer.code() != Code.NESTED) {
            told.add(name(its, tell.number()));
        }
    }

    void check(NestedTask its, List<NestedTask> all, @Nullable FanOutRecord record) {
        if (record == null || record.phase() != Phase.COMPLETE || !complete.add(its)) {
            return;
        }
        assertThat(late.contains(its) ? record.total() : 0)
                .as("subtasks of %s, which had ended before", its.own)
                .isZero();
        assertThat(record.ended()).isEqualTo(record.total());
        assertThat(LongStream.range(0, record.total())
                        .mapToObj(number -> name(its, number))
                        .filter(name -> !told.contains(name))
                        .collect(Collectors.toList()))
                .as("subtasks whose ends nobody told")
                .isEmpty();
        for (NestedTask each : all) {
            if (each.master == its && each.hasCome() && !late.contains(each) && each.number < record.total()) {
                assertThat(complete.contains(each))
                        .as("the fan-out %s within %s is complete", each.own, its.own)
                        .isTrue();
            }
        }
        assertThat(its.master == null || its.isToldOfMaster())
                .as("the last run of the master of %s, which is a subtask, has ended", its.own)
                .isTrue();
    }
}
