package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a change of tasks does to those who wait for their ends. */
class TaskChangeTest {

    @Test
    void onlyAChangeThatCancelsTasksEndsThem() {
        assertThat(new TaskChange.Delete(Admin.Deletion.WAITING).endsTasks()).isTrue();
        assertThat(new TaskChange.Delete(Admin.Deletion.ANY).endsTasks()).isTrue();
        assertThat(new TaskChange.Delete(Admin.Deletion.DEAD).endsTasks()).isFalse();
        assertThat(new TaskChange.Delete(Admin.Deletion.DEAD_NOT_HALTING).endsTasks())
                .isFalse();
        assertThat(new TaskChange.Retry().endsTasks()).isFalse();
        assertThat(new TaskChange.Reschedule(0).endsTasks()).isFalse();
        assertThat(new TaskChange.Edit(new byte[0]).endsTasks()).isFalse();
        assertThat(new TaskChange.None().endsTasks()).isFalse();
    }
}
