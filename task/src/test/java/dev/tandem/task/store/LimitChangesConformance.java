package dev.tandem.task.store;

import static dev.tandem.task.store.LimitOverride.NO_REVISION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.LimitOverride.OfPermits;
import dev.tandem.task.store.LimitOverride.OfRate;
import dev.tandem.task.store.LimitRequest.Numbers;
import dev.tandem.task.store.LimitRequest.Permits;
import dev.tandem.task.store.LimitRequest.Rate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The rules of changes of limits (ADR 91 and 97). All that changes limits runs them: a test class extends this one and says how
 * to reach its limits.
 */
public abstract class LimitChangesConformance {

    private static final String ANNA = "anna";
    private static final String BEN = "ben";

    /** Returns the name of a limit and of a rate limit that have no override and never had one. */
    protected abstract String freshLimit();

    protected abstract LimitRequest.Answer change(String limit, LimitRequest request);

    /** Returns what people see of the override of a limit; null if it has none. */
    protected abstract @Nullable LimitOverride override(String limit, LimitKind kind);

    @ParameterizedTest
    @EnumSource
    public void aChangeSetsTheNumbersAndSaysWhoseTheyAre(LimitKind kind) {
        String limit = freshLimit();

        LimitRequest.Answer first = change(limit, set(kind, 5, ANNA, null));
        assertThat(first.done()).isTrue();
        assertThat(first.before()).isNull();
        assertOverride(limit, kind, 5, ANNA, first.revision());

        LimitRequest.Answer second = change(limit, set(kind, 7, BEN, null));
        assertThat(second.done()).isTrue();
        assertIs(second.before(), 5, ANNA, first.revision());
        assertOverride(limit, kind, 7, BEN, second.revision());
    }

    @ParameterizedTest
    @EnumSource
    public void aResetLetsTheSettingsHoldAgain(LimitKind kind) {
        String limit = freshLimit();
        String set = change(limit, set(kind, 5, ANNA, null)).revision();

        LimitRequest.Answer reset = change(limit, LimitRequest.reset(kind, null));

        assertThat(reset.done()).isTrue();
        assertIs(reset.before(), 5, ANNA, set);
        assertThat(reset.revision()).isNotEqualTo(set);
        assertThat(override(limit, kind)).isNull();
    }

    @ParameterizedTest
    @EnumSource
    public void aResetOfALimitWithoutAnOverrideChangesNothing(LimitKind kind) {
        String limit = freshLimit();
        LimitRequest.Answer nothing = change(limit, LimitRequest.reset(kind, null));
        assertThat(nothing.done()).isTrue();
        assertThat(nothing.revision()).isEqualTo(NO_REVISION);

        change(limit, set(kind, 5, ANNA, null));
        String revision = change(limit, LimitRequest.reset(kind, null)).revision();

        assertThat(change(limit, LimitRequest.reset(kind, null)).revision()).isEqualTo(revision);
    }

    @ParameterizedTest
    @EnumSource
    public void aChangeThatNamesAnotherRevisionIsRefusedWithWhatIsInForce(LimitKind kind) {
        String limit = freshLimit();
        LimitRequest.Answer first = change(limit, set(kind, 5, ANNA, NO_REVISION));
        assertThat(first.done()).as("nobody had set a number").isTrue();
        LimitRequest.Answer second = change(limit, set(kind, 7, BEN, first.revision()));
        assertThat(second.done()).as("it was the number that was seen").isTrue();

        for (LimitRequest late : List.of(
                set(kind, 9, ANNA, first.revision()),
                set(kind, 9, ANNA, NO_REVISION),
                LimitRequest.reset(kind, first.revision()),
                LimitRequest.reset(kind, NO_REVISION))) {
            LimitRequest.Answer refused = change(limit, late);

            assertThat(refused.done()).as("%s", late).isFalse();
            assertThat(refused.revision()).isEqualTo(second.revision());
            assertIs(refused.before(), 7, BEN, second.revision());
            assertOverride(limit, kind, 7, BEN, second.revision());
        }
        assertThat(change(limit, LimitRequest.reset(kind, second.revision())).done())
                .as("the reset of what was seen")
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource
    public void aNumberThatWasResetIsSeenNoMore(LimitKind kind) {
        String limit = freshLimit();
        String set = change(limit, set(kind, 5, ANNA, null)).revision();
        String reset = change(limit, LimitRequest.reset(kind, null)).revision();

        LimitRequest.Answer late = change(limit, set(kind, 9, BEN, set));

        assertThat(late.done()).isFalse();
        assertThat(late.before()).isNull();
        assertThat(late.revision()).isEqualTo(reset);
        assertThat(override(limit, kind)).isNull();
        assertThat(change(limit, set(kind, 9, BEN, NO_REVISION)).done())
                .as("the limit has no override")
                .isTrue();
    }

    /** Anna resets a limit and is offered an undo. Meanwhile Ben sets a number, and somebody resets that. */
    @ParameterizedTest
    @EnumSource
    public void anUndoOfAResetTakesBackNoLaterOne(LimitKind kind) {
        String limit = freshLimit();
        change(limit, set(kind, 5, ANNA, null));
        String reset = change(limit, LimitRequest.reset(kind, null)).revision();
        change(limit, set(kind, 7, BEN, null));
        LimitRequest.Answer last = change(limit, LimitRequest.reset(kind, null));

        LimitRequest.Answer late = change(limit, set(kind, 5, ANNA, reset));

        assertThat(late.done()).isFalse();
        assertThat(late.before()).isNull();
        assertThat(late.revision()).isEqualTo(last.revision());
        assertThat(change(limit, set(kind, 5, ANNA, last.revision())).done())
                .as("the undo of the last one")
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource
    public void theSameNumberAgainHasAnotherRevision(LimitKind kind) {
        String limit = freshLimit();
        Set<String> revisions = new HashSet<>(Set.of(NO_REVISION));
        for (int i = 0; i < 50; i++) {
            LimitRequest again = i % 2 == 0 ? set(kind, 5, ANNA, null) : LimitRequest.reset(kind, null);
            assertThat(revisions.add(change(limit, again).revision()))
                    .as("change %s is unlike those before", i)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    public void ofChangesThatNameOneRevisionOneIsMade(LimitKind kind) throws Exception {
        String limit = freshLimit();
        String seen = change(limit, set(kind, 5, ANNA, null)).revision();
        ExecutorService operators = Executors.newFixedThreadPool(4);
        try {
            List<CompletableFuture<LimitRequest.Answer>> answers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                LimitRequest request = set(kind, 10 + i, BEN, seen);
                answers.add(CompletableFuture.supplyAsync(() -> change(limit, request), operators));
            }
            List<LimitRequest.Answer> done = new ArrayList<>();
            for (CompletableFuture<LimitRequest.Answer> answer : answers) {
                LimitRequest.Answer its = answer.get();
                if (its.done()) {
                    done.add(its);
                }
            }
            assertThat(done).hasSize(1);
            assertThat(override(limit, kind))
                    .satisfies(its ->
                            assertThat(its.revision()).isEqualTo(done.get(0).revision()));
        } finally {
            operators.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource
    public void aLimitAndARateLimitOfOneNameAreChangedApart(LimitKind kind) {
        LimitKind other = kind == LimitKind.RATE ? LimitKind.PERMITS : LimitKind.RATE;
        String limit = freshLimit();
        String revision = change(limit, set(kind, 5, ANNA, null)).revision();

        assertThat(change(limit, set(other, 7, BEN, NO_REVISION)).done()).isTrue();

        assertOverride(limit, kind, 5, ANNA, revision);
        change(limit, LimitRequest.reset(other, null));
        assertOverride(limit, kind, 5, ANNA, revision);
    }

    @ParameterizedTest
    @EnumSource
    public void aLongNameIsCut(LimitKind kind) {
        String limit = freshLimit();
        change(limit, set(kind, 5, "a".repeat(LimitOverride.MAX_NAME + 1), null));

        assertThat(override(limit, kind))
                .satisfies(its -> assertThat(its.by()).isEqualTo("a".repeat(LimitOverride.MAX_NAME)));
    }

    private static LimitRequest set(LimitKind kind, int number, String by, @Nullable String seen) {
        return LimitRequest.set(numbers(kind, number), by, seen);
    }

    private static Numbers numbers(LimitKind kind, int number) {
        return switch (kind) {
            case PERMITS -> new Permits(number);
            case RATE -> new Rate(number * 1_000L, number);
        };
    }

    private void assertOverride(String limit, LimitKind kind, int number, String by, String revision) {
        LimitOverride is = override(limit, kind);
        assertThat(is).isInstanceOf(kind == LimitKind.RATE ? OfRate.class : OfPermits.class);
        assertIs(is, number, by, revision);
    }

    private static void assertIs(@Nullable LimitOverride is, int number, String by, String revision) {
        assertThat(is).isNotNull();
        Numbers numbers = is instanceof OfRate rate
                ? new Rate(rate.intervalMicros(), rate.burst())
                : new Permits(((OfPermits) is).max());
        assertThat(numbers).isEqualTo(numbers(is instanceof OfRate ? LimitKind.RATE : LimitKind.PERMITS, number));
        assertThat(is.by()).isEqualTo(by);
        assertThat(is.revision()).isEqualTo(revision);
    }
}
