package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the API says of Redis, the brokers and the queues. */
class DoctorApiTest extends ApiTestBase {

    private static List<JsonNode> findings(JsonNode answer, String check) {
        return StreamSupport.stream(answer.path("findings").spliterator(), false)
                .filter(each -> each.path("check").asString().equals(check))
                .toList();
    }

    @Test
    void findingsOfThePlatformAndOfEachQueueAreShown() {
        JsonNode answer = get("/api/v1/doctor", 200);

        assertThat(Instant.parse(answer.path("now").asString()))
                .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(1));
        assertThat(findings(answer, "redis-fit")).singleElement().satisfies(each -> {
            assertThat(each.path("level").asString()).isEqualTo("problem");
            assertThat(each.path("remedy").asString()).isEqualTo("set appendonly yes");
        });
        assertThat(findings(answer, "queue-state"))
                .extracting(each -> each.path("subject").asString())
                .contains("orders", "mail");
    }

    @Test
    void haltedKeysAreAWarning() {
        PLATFORM.partitions.put("orders", List.of(OrdinaryPlatform.halting("doctor-1")));
        assertThat(findings(get("/api/v1/doctor", 200), "halted-keys"))
                .noneMatch(each -> each.path("subject").asString().equals("orders"));

        PLATFORM.partitions.put("orders", OrdinaryPlatform.halting("doctor-2-", 16));
        PLATFORM.deadGroups = DeadGroupsApiTest.someGroups();

        assertThat(findings(get("/api/v1/doctor", 200), "halted-keys")).anySatisfy(each -> {
            assertThat(each.path("subject").asString()).isEqualTo("orders");
            assertThat(each.path("level").asString()).isEqualTo("warning");
            assertThat(each.path("text").asString()).startsWith("16 keys are halted");
            assertThat(each.path("remedy").asString()).contains("./tandem keys list orders --why halted");
        });

        PLATFORM.partitions.put("orders", OrdinaryPlatform.tooManyHalting("doctor-4-"));
        assertThat(findings(get("/api/v1/doctor", 200), "halted-keys"))
                .anySatisfy(each -> assertThat(each.path("text").asString()).startsWith("At least 16 keys are halted"));
    }

    @Test
    void whoeverAsksAgainAndAgainDoesNotHaveTheGroupsOfDeadTasksReadEachTime() {
        PLATFORM.partitions.put("orders", List.of(OrdinaryPlatform.halting("doctor-3")));
        int times = 20;
        for (int i = 0; i < times; i++) {
            get("/api/v1/doctor", 200);
        }

        assertThat(PLATFORM.askedGroups)
                .filteredOn(each -> each.name().equals("doctor-3"))
                .hasSizeBetween(1, times - 1);
    }

    @Test
    void aQueueThatIsSlowedIsAWarning() {
        JsonNode mail = findings(get("/api/v1/doctor", 200), "queue-state").stream()
                .filter(each -> each.path("subject").asString().equals("mail"))
                .findFirst()
                .orElseThrow();
        assertThat(mail.path("level").asString()).isIn("warning", "problem");
        assertThat(mail.path("text").asString()).contains("starts are slowed down");
    }
}
