package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.archive.Archive.BusySearchException;
import dev.tandem.server.archive.Archive.SlowSearchException;
import dev.tandem.server.archive.ArchivedOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The archive over HTTP. */
class ArchiveApiTest extends ApiTestBase {

    private static final Instant NOW = Instant.now();

    private static void ended(String position, @Nullable String id, String kind, int attempt, Duration ago) {
        ARCHIVE.outcomes.add(new ArchivedOutcome(
                "orders",
                "3",
                position,
                kind,
                NOW.minus(ago),
                id,
                "ship",
                "c-7",
                attempt,
                "web-1",
                kind.equals("succeeded") ? null : "HTTP status 500",
                null,
                null,
                null,
                attempt));
    }

    @Test
    void endsAreListedPageByPageAndAttemptsOnlyIfAskedFor() {
        ended("0:1", "a", "failed", 1, Duration.ofMinutes(4));
        ended("0:1", "a", "succeeded", 2, Duration.ofMinutes(3));
        ended("0:2", "b", "dead", 1, Duration.ofMinutes(2));
        ended("0:3", null, "expired", 0, Duration.ofMinutes(1));
        ended("0:4", "old", "dead", 1, Duration.ofHours(25));

        JsonNode first = get("/api/v1/archive?limit=2", 200);
        assertThat(first.path("outcomes").findValuesAsString("id")).containsExactly("@3/0:3", "b");
        JsonNode second =
                get("/api/v1/archive?limit=2&cursor=" + first.path("next").asString(), 200);
        assertThat(second.path("outcomes").findValuesAsString("id")).containsExactly("a");
        assertThat(second.has("next")).isFalse();

        assertThat(get("/api/v1/archive?state=failed", 200).path("outcomes").size())
                .isEqualTo(1);
        assertThat(get("/api/v1/archive?from=2020-01-01T00:00:00Z&queue=orders&state=dead", 200)
                        .path("outcomes")
                        .findValuesAsString("id"))
                .containsExactly("b", "old");
    }

    @Test
    void aTaskHasItsAttemptsAndEarlierTasksWithItsId() {
        ended("0:1", "a", "failed", 1, Duration.ofMinutes(4));
        ended("0:1", "a", "dead", 2, Duration.ofMinutes(3));
        ended("0:9", "a", "failed", 1, Duration.ofMinutes(2));
        ended("0:9", "a", "succeeded", 2, Duration.ofMinutes(1));

        JsonNode latest = get("/api/v1/queues/orders/archive/a", 200);
        assertThat(latest.path("state").asString()).isEqualTo("succeeded");
        assertThat(latest.path("outcomes").findValuesAsString("state")).containsExactly("failed", "succeeded");
        assertThat(latest.path("others").path(0).asString()).isEqualTo("@3/0:1");
        assertThat(get("/api/v1/queues/orders/archive/@3%2F0:1", 200)
                        .path("state")
                        .asString())
                .isEqualTo("dead");
    }

    @Test
    void anIdIsLookedForInTheQueuesThatAreNamed() {
        ended("0:1", "a", "dead", 1, Duration.ofDays(20));
        ArchiveReader reader = bean("archiveReader", ArchiveReader.class);

        assertThat(reader.has("a", List.of("mail", "orders"))).isTrue();
        assertThat(reader.has("b", List.of("mail", "orders"))).isFalse();
        assertThat(reader.has("a", List.of("mail"))).isFalse();
    }

    /** The archive has no payload, so nobody can tell what an error repeats of it. */
    @Test
    void errorsOfQueuesThatMaskPayloadsAreHidden() {
        ARCHIVE.outcomes.add(new ArchivedOutcome(
                "mail", "3", "0:1", "dead", NOW, "a", null, null, 1, null, "no such card: 4111", null, null, null, 1));
        ended("0:1", "a", "dead", 1, Duration.ofMinutes(3));

        for (String path : List.of("archive?queue=mail", "queues/mail/archive/a")) {
            assertThat(get("/api/v1/" + path, 200).at("/outcomes/0/error").asString())
                    .isEqualTo("***");
        }
        assertThat(get("/api/v1/archive?queue=orders", 200)
                        .at("/outcomes/0/error")
                        .asString())
                .isEqualTo("HTTP status 500");
    }

    @ParameterizedTest
    @CsvSource({
        "archive?state=parked,400,invalid-parameter,state",
        "archive?from=yesterday,400,invalid-parameter,from",
        "archive?until=2026-01-01T00:00:00Z&from=2026-01-02T00:00:00Z,400,invalid-parameter,from",
        "archive?limit=0,400,invalid-parameter,limit",
        "archive?cursor=x,400,invalid-cursor,cursor",
        "archive?queue=none,404,unknown-queue,",
        "queues/orders/archive/none,404,unknown-task,",
    })
    void whatIsWrongIsNamed(String path, int status, String type, String parameter) {
        JsonNode problem = get("/api/v1/" + path, status);

        assertThat(problem.path("type").asString()).endsWith(":" + type);
        assertThat(problem.at("/errors/0/parameter").asString(null)).isEqualTo(parameter);
    }

    @Test
    void aSearchThatTakesTooLongIsNotAFailureOfTheServer() {
        ARCHIVE.failure = new SlowSearchException("The search took too long", new IllegalStateException());

        JsonNode problem = get("/api/v1/archive", 503);

        assertThat(problem.path("type").asString()).endsWith(":slow-search");
        assertThat(problem.path("remedy").asString()).contains("a shorter time");
    }

    @Test
    void aSearchThatOthersKeepFromBeginningIsToBeRepeated() {
        ARCHIVE.failure = new BusySearchException("3 others search the archive here at this moment");

        for (String path : new String[] {"archive", "queues/orders/archive/a"}) {
            JsonNode problem = get("/api/v1/" + path, 503);
            assertThat(problem.path("type").asString()).endsWith(":busy");
            assertThat(problem.path("detail").asString()).startsWith("3 others").doesNotContain("does not answer");
        }
    }

    @Test
    void withoutAnArchiveTheAnswerSaysHowToGetOne() {
        ARCHIVE.off = true;

        for (String path : new String[] {"archive", "queues/orders/archive/a"}) {
            JsonNode problem = get("/api/v1/" + path, 404);
            assertThat(problem.path("type").asString()).endsWith(":no-archive");
            assertThat(problem.path("remedy").asString()).contains("tandem.archive.url");
        }
    }
}
