package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the first message of a batch that the broker refused is known. */
class BatchConfirmsTest {

    private final BatchConfirms confirms = new BatchConfirms();

    @BeforeEach
    void fiveMessages() {
        confirms.begin(11, 5);
    }

    @Test
    void mostlyNoneIsRefused() {
        confirms.handleAck(13, true);
        confirms.handleAck(15, false);
        confirms.handleAck(14, false);
        assertThat(confirms.firstRefused()).isEqualTo(BatchConfirms.NONE);
    }

    @Test
    void theFirstOneCountsInWhicheverOrderTheyAreRefused() {
        confirms.handleNack(15, false);
        assertThat(confirms.firstRefused()).isEqualTo(4);
        confirms.handleAck(11, false);
        confirms.handleNack(13, false);
        confirms.handleAck(14, true);
        assertThat(confirms.firstRefused()).isEqualTo(2);
    }

    @Test
    void aRefusalOfSeveralLeavesOutThoseThatWereConfirmed() {
        confirms.handleAck(11, false);
        confirms.handleAck(12, false);
        confirms.handleNack(14, true);
        assertThat(confirms.firstRefused()).isEqualTo(2);
    }

    @Test
    void theNextBatchBeginsAnew() {
        confirms.handleNack(15, true);
        confirms.begin(16, 2);
        confirms.handleNack(15, false);
        assertThat(confirms.firstRefused()).isEqualTo(BatchConfirms.NONE);
        confirms.handleNack(17, false);
        assertThat(confirms.firstRefused()).isEqualTo(1);
    }
}
