package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.store.RunRequest.KeepProgress;
import dev.tandem.task.store.RunRequest.ReadCheckpoint;
import dev.tandem.task.store.RunRequest.RunNotes;
import dev.tandem.task.store.RunRequest.SaveCheckpoint;
import dev.tandem.task.store.RunRequest.Standing;
import dev.tandem.task.store.StoreAnswer.Checkpoint;
import dev.tandem.task.store.StoreAnswer.ProgressKept;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link RunRequest}: what runs note while their handlers are active. */
interface RunNotesConformance extends StoreFixture {

    private Standing save(long token, int value) {
        byte[] checkpoint = {(byte) value, 0, -1};
        return ((Checkpoint) answerTo(new SaveCheckpoint(partition(), P1, token, checkpoint))).standing();
    }

    private Checkpoint read(long token) {
        return (Checkpoint) answerTo(new ReadCheckpoint(partition(), P1, token));
    }

    private int note(long token, String progress, String... lines) {
        RunNotes notes = new RunNotes(P1, token, progress, List.of(lines));
        return ((ProgressKept) answerTo(new KeepProgress(partition(), 3, List.of(notes)))).runs();
    }

    @Test
    default void progressOfAnySizeIsKeptWhole() {
        first().acquire();
        long token = first().claim(P1, KEY);
        String line = "x".repeat(100_000);
        RunNotes notes = new RunNotes(P1, token, "half", List.of(line, line));
        RunNotes unknown = new RunNotes(P2, token + 1, "", List.of(line));

        assertThat(answerTo(new KeepProgress(partition(), 3, List.of(notes, unknown, notes, notes, unknown))))
                .isEqualTo(new ProgressKept(3));
    }

    @Test
    default void theNextRunGoesOnFromTheLastCheckpoint() {
        first().acquire();
        long token = first().claim(P1, KEY);
        assertThat(read(token).value()).isNull();
        assertThat(save(token, 1)).isEqualTo(Standing.CLAIMED);
        assertThat(save(token, 2)).isEqualTo(Standing.CLAIMED);
        first().retry(P1, token, KEY, 1, 0);
        long next = first().claimDue(9, 9).claimed().get(0).token();
        assertThat(read(next).standing()).isEqualTo(Standing.CLAIMED);
        assertThat(read(next).value()).containsExactly(2, 0, -1);
    }

    @Test
    default void aRunThatLostItsClaimCanNeitherSaveNorRead() {
        first().leaseMillis = SHORT;
        first().acquire();
        long old = first().claim(P1, KEY);
        assertThat(save(old, 1)).isEqualTo(Standing.CLAIMED);
        second().generation = 2;
        second().acquire();
        letTimePass(SHORT + 1);
        second().expireLeases();
        assertThat(save(old, 2)).isEqualTo(Standing.UNKNOWN);
        long token = second().claim(P1, KEY);
        assertThat(save(old, 3)).isEqualTo(Standing.ENDED);
        assertThat(read(old)).extracting(Checkpoint::standing).isEqualTo(Standing.ENDED);
        assertThat(read(token).value()).as("what the run before it saved").containsExactly(1, 0, -1);
    }

    @Test
    default void aRunWhoseClaimIsNotWrittenYetIsNotKnown() {
        first().acquire();
        long token = first().claim(P1, KEY);
        assertThat(save(token + 1, 1)).isEqualTo(Standing.UNKNOWN);
        assertThat(answerTo(new SaveCheckpoint(partition(), P2, token + 1, new byte[] {1})))
                .isEqualTo(new Checkpoint(Standing.UNKNOWN, null));
    }

    @Test
    default void aSuccessForgetsTheNotes() {
        first().acquire();
        long token = first().claim(P1, KEY);
        save(token, 1);
        note(token, "half", "a line");
        first().succeed(P1, token, KEY, 1);
        assertThat(save(token, 2)).isEqualTo(Standing.UNKNOWN);
        assertThat(note(token, "late")).isZero();
    }

    @Test
    default void aHeadThatSucceedsForgetsItsNotes() {
        first().acquire();
        long token = first().claim(P1, KEY);
        save(token, 1);
        first().retry(P1, token, KEY, 1, 0);
        long next = first().claimDue(9, 9).claimed().get(0).token();
        first().succeed(P1, next, KEY, 1);
        assertThat(read(next)).isEqualTo(new Checkpoint(Standing.UNKNOWN, null));
    }

    @Test
    default void aDeadTaskKeepsItsNotes() {
        first().acquire();
        long token = first().claim(P1, KEY);
        save(token, 1);
        first().die(P1, token, KEY, 1, DeadHead.HALT);
        assertThat(note(token, "", "the last words")).isEqualTo(1);
        assertThat(save(token, 2)).isEqualTo(Standing.ENDED);
    }

    @Test
    default void anEndedRunMayStillNoteItsLastLinesUntilTheNextOneBegins() {
        first().acquire();
        long token = first().claim(P1, KEY);
        assertThat(note(token, "half", "one", "two")).isEqualTo(1);
        first().retry(P1, token, KEY, 1, 0);
        assertThat(note(token, "", "three")).isEqualTo(1);
        assertThat(note(token - 1, "", "another run's")).isZero();
        long next = first().claimDue(9, 9).claimed().get(0).token();
        assertThat(note(token, "", "too late")).isZero();
        assertThat(note(next, "more", "four")).isEqualTo(1);
    }
}
