package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which errors are one, and which are two. That the scripts find the same is tested on a real Redis. */
class ErrorFingerprintTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            order 17 is unknown                          | order 4711 is unknown
            order o-17 is unknown                        | order o-4711 is unknown
            took 3.5s, more than 2s                      | took 12.75s, more than 10s
            at 2026-11-28T18:23:59.123Z                  | at 2025-01-01T00:00:00Z
            no row 7f9c1b2e-0000-4a4a-8b8b-deadbeefcafe  | no row aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee
            connect to 10.0.0.1:5432 failed              | connect to 192.168.17.4:80 failed
            "alice" is taken                             | "bob the builder" is taken
            user 'alice' is taken                        | user 'bob' is taken
            cannot read "abc                             | cannot read "def and so on
            ids 1, 2, 3                                  | ids 1, 2
            java.io.IOException: disk 1 is full          | java.io.IOException: disk 2 is full
            0x7f3a: bad address                          | 0x11: bad address
            """)
    void whatDiffersFromTaskToTaskDoesNotCount(String one, String other) {
        assertThat(of(one)).isEqualTo(of(other));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            order 17 is unknown                          | customer 17 is unknown
            HTTP status 503                              | HTTP status 404
            exit code 1                                  | exit code 137
            java.io.IOException: no                      | java.lang.IllegalStateException: no
            com.amazon.S3Exception: no                   | com.amazon.S2Exception: no
            AmazonS3Exception                            | AmazonS2Exception
            can't read the file                          | can't write the file
            """)
    void whatMattersCounts(String one, String other) {
        assertThat(of(one)).isNotEqualTo(of(other));
    }

    @Test
    void onlyTheFirstLineCounts() {
        assertThat(of("boom\n  at com.example.One.run(One.java:17)")).isEqualTo(of("boom"));
        assertThat(of("boom\r\nother")).isEqualTo(of("boom"));
    }

    @Test
    void whatOperatorsAndTheLastAttemptAddDoesNotCount() {
        String error = "java.io.IOException: disk 1 is full";
        assertThat(Stream.of(
                                "attempt 3 of 3 was the last: ",
                                "skipped by an operator, after: ",
                                "drained by an operator before its next attempt, after: ",
                                "skipped by an operator, after: drained by an operator, after: attempt 8 of 8 was the last: ")
                        .map(note -> of(note + error)))
                .containsOnly(of(error));
        assertThat(of("skipped by an operator")).isNotEqualTo(of("drained by an operator"));
    }

    @Test
    void tasksThatDieBehindAHeadAreOneGroupWhateverHeadThatIs() {
        String one = Envelope.drainedBehind(Partition.of("q", 1), Position.of(0, 17));
        String other = Envelope.drainedBehind(Partition.of("q", 22), Position.of(1, 4));
        assertThat(of(one)).isEqualTo(of(other));
        assertThat(of(one)).isNotEqualTo(of(one + ", by an operator"));
    }

    @Test
    void theTypeCounts() {
        assertThat(ErrorFingerprint.of("ship", "boom")).isNotEqualTo(ErrorFingerprint.of("mail", "boom"));
        assertThat(ErrorFingerprint.of(null, "boom")).isEqualTo(ErrorFingerprint.of("", "boom"));
        assertThat(ErrorFingerprint.of("ship", null)).isEqualTo(ErrorFingerprint.of("ship", ""));
    }

    /** A fingerprint is kept in Redis, and in the addresses of pages. */
    @Test
    void staysTheSameFromVersionToVersion() {
        assertThat(ErrorFingerprint.of(
                        "ship", "java.io.IOException: disk 1 of \"a\" is full: HTTP status 507 at 18:23"))
                .isEqualTo("f2297c390aa9");
        assertThat(ErrorFingerprint.of(null, null)).isEqualTo("8b2b303e3191");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"", "'", "#", "[", ".", "1-", "a1", "java.", "x'"})
    void longErrorsTakeNoLongTime(String part) {
        String error = part.repeat(20_000);
        assertThat(ErrorFingerprint.isOne(of(error))).isTrue();
    }

    @Test
    void isTwelveHexadecimalDigits() {
        assertThat(of("boom"))
                .matches("[0-9a-f]{12}")
                .satisfies(each -> assertThat(ErrorFingerprint.isOne(each)).isTrue());
        assertThat(ErrorFingerprint.isOne("other")).isFalse();
        assertThat(ErrorFingerprint.isOne("ABCDEF012345")).isFalse();
    }

    private static String of(@Nullable String error) {
        return ErrorFingerprint.of("ship", error);
    }
}
