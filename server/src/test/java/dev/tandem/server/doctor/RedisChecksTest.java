package dev.tandem.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.scheduler.Complaint;
import dev.tandem.scheduler.RedisExam;
import dev.tandem.server.findings.Finding;
import dev.tandem.server.findings.Finding.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of a Redis. */
class RedisChecksTest {

    private static final List<Complaint> NONE = List.of();
    private static final List<String> NO_RIGHT = List.of();

    private static RedisExam exam(
            List<Complaint> errors, List<Complaint> warnings, long used, long max, @Nullable List<String> refused) {
        return new RedisExam(
                "redis:6379", null, "7.2.4", errors, warnings, 0, 0, used, max, used < max * 0.9, 3, 2, refused);
    }

    private static Finding of(RedisExam exam, String check) {
        return RedisChecks.of(List.of(exam), "").stream()
                .filter(each -> each.check().equals(check))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aGoodRedisHasNoProblem() {
        assertThat(RedisChecks.of(List.of(exam(NONE, NONE, 10, 100, NO_RIGHT)), ""))
                .allSatisfy(each -> assertThat(each.level()).isEqualTo(Level.OK))
                .extracting(Finding::check)
                .containsExactly(
                        "redis-reached", "redis-fit", "redis-replicas", "redis-memory", "redis-rights", "clock");
    }

    @Test
    void whyTheStoreRefusesARedisIsAProblemWithItsRemedy() {
        Finding finding = of(
                exam(List.of(new Complaint("appendonly is off", "set appendonly yes")), NONE, 1, 100, NO_RIGHT),
                "redis-fit");
        assertThat(finding.level()).isEqualTo(Level.PROBLEM);
        assertThat(finding.text()).isEqualTo("appendonly is off");
        assertThat(finding.remedy()).isEqualTo("set appendonly yes");
        assertThat(of(
                                exam(
                                        NONE,
                                        List.of(new Complaint("CONFIG is not allowed", "allow it")),
                                        1,
                                        100,
                                        NO_RIGHT),
                                "redis-fit")
                        .level())
                .isEqualTo(Level.WARNING);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, WARNING", "10, 100, OK", "80, 100, WARNING", "95, 100, PROBLEM"})
    void memoryShouldBeBoundedAndHaveRoom(long used, long max, Level level) {
        assertThat(of(exam(NONE, NONE, used, max, NO_RIGHT), "redis-memory").level())
                .isEqualTo(level);
    }

    @Test
    void aMissingRightIsAProblemUnlessTandemDoesWithoutIt() {
        Finding needed = of(exam(NONE, NONE, 1, 100, List.of("zadd", "client|setinfo")), "redis-rights");
        assertThat(needed.level()).isEqualTo(Level.PROBLEM);
        assertThat(needed.text()).contains("zadd").doesNotContain("setinfo");
        assertThat(of(exam(NONE, NONE, 1, 100, List.of("waitaof")), "redis-rights")
                        .level())
                .isEqualTo(Level.WARNING);
        assertThat(of(exam(NONE, NONE, 1, 100, List.of("client|setinfo")), "redis-rights")
                        .level())
                .isEqualTo(Level.OK);
        assertThat(of(exam(NONE, NONE, 1, 100, null), "redis-rights").text()).contains("unknown");
    }

    @Test
    void missingReplicasStopDurability() {
        RedisExam two = new RedisExam("r:1", null, "7.2.4", NONE, NONE, 1, 2, 1, 100, true, 0, 0, NO_RIGHT);
        assertThat(of(two, "redis-replicas").level()).isEqualTo(Level.PROBLEM);
        assertThat(of(two, "redis-replicas").text()).contains("1 of the 2 replicas");
    }

    @Test
    void aRedisThatDoesNotAnswerIsOneProblem() {
        assertThat(RedisChecks.of(List.of(RedisExam.failed("r:1", "Connection refused")), "cannot be reached"))
                .singleElement()
                .satisfies(each -> assertThat(each.text()).contains("Connection refused"))
                .satisfies(each -> assertThat(each.level()).isEqualTo(Level.PROBLEM));
    }

    @Test
    void aServerThatDoesNotUseAGoodRedisIsAProblem() {
        assertThat(RedisChecks.of(List.of(exam(NONE, NONE, 1, 100, NO_RIGHT)), "only 0 of 1 replicas have a write"))
                .first()
                .satisfies(each -> assertThat(each.check()).isEqualTo("redis-used"))
                .satisfies(each -> assertThat(each.level()).isEqualTo(Level.PROBLEM));
    }

    @ParameterizedTest
    @CsvSource({"0, 0, OK", "-900, 2, OK", "1500, 2, WARNING", "1500, 1200, OK", "-11000, 4, PROBLEM"})
    void clocksMayBeApartByLessThanASecond(long ahead, long roundTrip, Level level) {
        assertThat(ClockChecks.of("r:1", "Redis", ahead, roundTrip).level()).isEqualTo(level);
    }
}
