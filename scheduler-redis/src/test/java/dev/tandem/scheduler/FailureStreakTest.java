package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailureStreakTest {

    private final FailureStreak streak = new FailureStreak();

    @Test
    void outageBeginsOnce() {
        assertThat(streak.begins("a")).isTrue();
        assertThat(streak.begins("a")).isFalse();
        assertThat(streak.begins("b")).isFalse();
        streak.ended("a");
        assertThat(streak.begins("a")).as("b still fails").isFalse();
    }

    @Test
    void nextOutageIsToldAgain() {
        streak.begins("a");
        streak.begins("b");
        streak.ended("b");
        streak.ended("a");
        assertThat(streak.begins("b")).isTrue();
    }
}
