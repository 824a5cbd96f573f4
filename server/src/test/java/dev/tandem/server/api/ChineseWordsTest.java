package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import dev.tandem.kafka.LogPart;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.AuditKind;
import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Role;
import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.OperationProgress;
import dev.tandem.server.words.Language;
import dev.tandem.server.words.Texts;
import dev.tandem.task.TaskState;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each word of the API that pages of the console show has one in Chinese: states, actions, rules and kinds of problems. */
class ChineseWordsTest {

    private static final Texts CHINESE =
            Objects.requireNonNull(Texts.all("dev.tandem.server.console.texts").get(Language.ZH));

    private static <E extends Enum<E>> Stream<String> words(Class<E> of) {
        return Stream.of(of.getEnumConstants()).map(Views::lower);
    }

    private static Stream<String> named(String prefix, Stream<String> words) {
        return words.map(word -> prefix + "." + word.replace(' ', '-'));
    }

    private static Stream<String> all() {
        return Stream.of(
                        named("state", Stream.of(QueueState.Word.values()).map(word -> word.text)),
                        named("state", words(TaskState.class)),
                        named("state", Stream.of("partition unowned", "partition new", "failed", "snoozed")),
                        named("state", Stream.of(KeyTimeline.NOT_KEPT, KeyTimeline.IN_BROKER)),
                        named("operation-state", words(OperationProgress.State.class)),
                        named("operation-action", words(Operation.Action.class)),
                        named("schedule-state", Stream.of("active", "paused", "gone", "unreadable")),
                        named("misfire", words(Misfire.class)),
                        named("overlap", words(Overlap.class)),
                        named("fan-out-state", Stream.of("publishing", "running", "completed")),
                        named("fan-out-state", words(FanOutAnswer.Stop.class).filter(word -> !word.equals("no"))),
                        named("rule", words(FanOutPlan.Rule.class)),
                        named("blocked", Stream.of(BlockReason.values()).map(Views::whyBlocked)),
                        named("ordering", words(QueueSettings.Ordering.class)),
                        named("timeline-stop", words(LogPart.Stop.class)),
                        named("role", Stream.of(Role.values()).map(Role::text)),
                        named("by", Stream.of(Caller.By.values()).map(Caller.By::text)),
                        named("audit-kind", Stream.of(AuditKind.values()).map(AuditKind::text)),
                        named("problem-type", Stream.of(ProblemType.values()).map(ProblemType::word)))
                .flatMap(each -> each);
    }

    @Test
    void eachWordHasOne() {
        assertThat(all().filter(key -> !CHINESE.has(key)).toList()).isEmpty();
        assertThat(all().map(CHINESE::get).toList())
                .allMatch(text -> text.codePoints().anyMatch(Character::isIdeographic));
    }
}
