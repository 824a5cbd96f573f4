package dev.tandem.runtime.schedules;

import static dev.tandem.runtime.schedules.ScheduleFixtures.every;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.schedules.FiringState.Phase;
import dev.tandem.task.schedule.ScheduleBook.Announced;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Which schedules a program fires, while others are created, changed and deleted. */
class FiringStatesTest {

    private static final Schedule OWN = every("own", Duration.ofMinutes(1));

    private final FiringStates states = new FiringStates(List.of(OWN));

    @Test
    void createdSchedulesAreFiredUntilTheyAreDeleted() {
        assertThat(states.adopt(created(every("made", Duration.ofMinutes(2))))).isEmpty();

        assertThat(states.takeUnannounced()).isTrue();
        assertThat(states.takeUnannounced()).isFalse();
        assertThat(states.announcements()).extracting(Announced::id).containsExactly("own", "made");
        assertThat(states.announcements()).extracting(Announced::created).containsExactly(false, true);

        states.adopt(Map.of());
        assertThat(states.announcements()).extracting(Announced::id).containsExactly("own");
        assertThat(states.find("made")).isNull();
    }

    @Test
    void aCreatedScheduleStandsInForTheProgramsOwnWithItsId() {
        assertThat(states.adopt(created(every("own", Duration.ofMinutes(2))))).containsExactly("own");
        assertThat(state("own").created).isTrue();

        assertThat(states.adopt(Map.of())).isEmpty();
        assertThat(state("own").created).isFalse();
        assertThat(state("own").schedule).isEqualTo(OWN);
    }

    @Test
    void whatIsUnderWayEndsBeforeItsScheduleIsReplaced() {
        states.adopt(created(every("made", Duration.ofMinutes(2))));
        FiringState former = state("made");
        former.phase = Phase.SUBMITTING;

        states.adopt(created(every("made", Duration.ofMinutes(3))));
        assertThat(state("made")).isSameAs(former);
        assertThat(former.retired).isTrue();
        assertThat(states.announcements()).extracting(Announced::id).containsExactly("own");

        former.phase = Phase.IDLE;
        states.replace();
        assertThat(state("made").schedule.timing()).isEqualTo(new Timing.Every(Duration.ofMinutes(3)));
        assertThat(states.takeUnannounced()).isTrue();
    }

    @Test
    void aScheduleThatComesBackWhileItsFiringIsUnderWayGoesOn() {
        Map<String, CreatedSchedule> made = created(every("made", Duration.ofMinutes(2)));
        states.adopt(made);
        FiringState state = state("made");
        state.phase = Phase.MARKING;

        states.adopt(Map.of());
        assertThat(state.retired).isTrue();
        states.adopt(made);

        assertThat(state.retired).isFalse();
        assertThat(state("made")).isSameAs(state);
    }

    private FiringState state(String id) {
        return Objects.requireNonNull(states.find(id));
    }

    private static Map<String, CreatedSchedule> created(Schedule schedule) {
        return Map.of(schedule.id(), new CreatedSchedule(schedule, ScheduleJson.definition(schedule)));
    }
}
