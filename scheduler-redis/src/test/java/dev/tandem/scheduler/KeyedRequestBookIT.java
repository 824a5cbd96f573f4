package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.scheduler.KeyedRequestBook.Begin;
import dev.tandem.scheduler.KeyedRequestBook.Run;
import dev.tandem.scheduler.KeyedRequestBook.State;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests with keys of their callers, in a real Redis. */
class KeyedRequestBookIT extends OperatorTestBase {

    private static final Duration LONG = Duration.ofHours(1);

    private final KeyedRequestBook book = book(LONG, 100);

    @BeforeEach
    void forgetAll() {
        store.adminConnection()
                .run(commands -> commands.del(store.adminConnection().keys().keyedRequests()))
                .join();
    }

    private KeyedRequestBook book(Duration keep, int most) {
        return store.serverRecords().keyedRequests(keep, most, most * 500L);
    }

    private static Begin begin(KeyedRequestBook book, String caller, String key) {
        return book.begin(Run.of(caller, key)).join();
    }

    private Map<String, String> entries() {
        byte[] key = store.adminConnection().keys().keyedRequests()[0];
        return store.adminConnection().run(commands -> commands.hgetall(key)).join().entrySet().stream()
                .collect(Collectors.toMap(
                        entry -> new String(entry.getKey(), StandardCharsets.UTF_8),
                        entry -> new String(entry.getValue(), StandardCharsets.UTF_8)));
    }

    @Test
    void ofManyThatBeginAtOnceOneDoes() {
        List<State> states = IntStream.range(0, 20).mapToObj(i -> book.begin(Run.of("c", "same"))).toList().stream()
                .map(begin -> begin.join().state())
                .toList();

        assertThat(states).filteredOn(state -> state == State.BEGUN).hasSize(1);
        assertThat(states).filteredOn(state -> state == State.UNDER_WAY).hasSize(19);
    }

    @Test
    void aRepeatGetsTheAnswerAndAnotherCallerDoesNot() {
        Run run = Run.of("c", "k");
        book.begin(run).join();

        assertThat(book.renew(run).join()).isTrue();
        assertThat(book.finish(run, "the answer").join()).isTrue();

        assertThat(begin(book, "c", "k")).isEqualTo(new Begin(State.DONE, "the answer"));
        assertThat(begin(book, "other", "k").state()).isEqualTo(State.BEGUN);
        assertThat(book.finish(run, "another answer").join())
                .as("it has ended already")
                .isFalse();
    }

    @Test
    void whatIsForgottenBeginsAnewAndCountsNoMore() {
        Run run = Run.of("c", "k");
        book.begin(run).join();

        assertThat(book.forget(run).join()).isTrue();

        assertThat(entries()).containsExactly(Map.entry("#bytes", "0"));
        assertThat(begin(book, "c", "k").state()).isEqualTo(State.BEGUN);
        assertThat(book.finish(run, "late").join()).as("the one before").isFalse();
    }

    @Test
    void answersAreForgottenAfterTheirTime() {
        KeyedRequestBook brief = book(Duration.ofMillis(50), 100);
        Run run = Run.of("c", "k");
        brief.begin(run).join();
        brief.finish(run, "x".repeat(1_000)).join();

        await().until(() -> begin(brief, "c", "k").state() == State.BEGUN);
        assertThat(entries()).containsEntry("#c", "1").doesNotContainValue("D " + "x".repeat(1_000));
        assertThat(Integer.parseInt(entries().getOrDefault("#bytes", ""))).isLessThan(100);
    }

    @Test
    void theirNumberIsBoundedOfEachCallerToo() {
        KeyedRequestBook small = book(LONG, 4);
        assertThat(begin(small, "c", "1").state()).isEqualTo(State.BEGUN);
        assertThat(begin(small, "c", "2").state()).isEqualTo(State.BEGUN);
        assertThat(begin(small, "c", "3").state()).as("half of all").isEqualTo(State.CALLER_FULL);
        assertThat(begin(small, "d", "1").state()).isEqualTo(State.BEGUN);
        assertThat(begin(small, "d", "2").state()).isEqualTo(State.BEGUN);
        assertThat(begin(small, "e", "1").state()).as("all").isEqualTo(State.FULL);
    }

    @Test
    void longAnswersOfOneCallerLeaveRoomForOthers() {
        KeyedRequestBook small = book(LONG, 10);
        Run longest = Run.of("c", "1");
        small.begin(longest).join();
        small.finish(longest, "x".repeat(2_500)).join();

        assertThat(begin(small, "c", "2").state()).isEqualTo(State.CALLER_FULL);
        assertThat(begin(small, "c", "1").state()).as("none is forgotten").isEqualTo(State.DONE);
        Run other = Run.of("d", "1");
        assertThat(small.begin(other).join().state()).isEqualTo(State.BEGUN);
        small.finish(other, "x".repeat(2_500)).join();
        assertThat(begin(small, "e", "1").state()).as("all bytes").isEqualTo(State.FULL);
    }

    /** Redis would stand still if it forgot hundreds of thousands at once. */
    @Test
    void whatHasEndedIsForgottenInPiecesAlsoIfNobodyAsksAgain() {
        KeyedRequestBook brief = book(Duration.ofMillis(50), 1_000);
        IntStream.range(0, 450)
                .mapToObj(i -> Run.of(i % 2 == 0 ? "c" : "d", "" + i))
                .map(run -> brief.begin(run).thenCompose(begin -> brief.finish(run, "x")))
                .toList()
                .forEach(done -> assertThat(done.join()).isTrue());

        KeyedRequestTrimmer trimmer = new KeyedRequestTrimmer(store.adminConnection());
        await().until(() -> {
            trimmer.trim().join();
            return entries().equals(Map.of("#bytes", "0"));
        });
        byte[] key = store.adminConnection().keys().keyedRequests()[0];
        assertThat(store.adminConnection().run(commands -> commands.pttl(key)).join())
                .as("the keys stay until then")
                .isGreaterThan(KeyedRequestBook.UNDER_WAY.toMillis());
    }
}
