package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeldQuestionTest {

    @Test
    void aQuestionIsReadAsItWasWritten() {
        HeldQuestion ofKey = new HeldQuestion("3", true, "a\tkey with tabs");
        assertThat(HeldQuestion.read(ofKey.text())).contains(ofKey);
        HeldQuestion ofTask = new HeldQuestion("", false, "3/1:17");
        assertThat(HeldQuestion.read(ofTask.text())).contains(ofTask);
        HeldQuestion given = new HeldQuestion("3", HeldQuestion.Kind.GIVEN, "1:17");
        assertThat(HeldQuestion.read(given.text())).contains(given);
        HeldQuestion count = new HeldQuestion("", HeldQuestion.Kind.COUNT, "");
        assertThat(HeldQuestion.read(count.text())).contains(count);
    }

    @Test
    void anIdIsNoQuestion() {
        assertThat(HeldQuestion.read("pay-1")).isEmpty();
        assertThat(HeldQuestion.read("\t?\tonly")).isEmpty();
        assertThat(HeldQuestion.read("\t?\t3\tother\tx")).isEmpty();
    }
}
