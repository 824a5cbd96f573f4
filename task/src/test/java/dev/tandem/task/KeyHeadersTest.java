package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The headers that may give a message another key than the broker's. A search for a key reads no other message as a whole. */
class KeyHeadersTest {

    @ParameterizedTest
    @CsvSource({
        "tandem-key, c-7, true",
        "ce_partitionkey, c-7, true",
        "cloudEvents:partitionkey, c-7, true",
        "content-type, application/cloudevents+json; charset=UTF-8, true",
        "content-type, application/json, false",
        "tandem-id, c-7, false",
        "ce_id, c-7, false",
        "key, c-7, false"
    })
    void someMayNameAKey(String header, String value, boolean mayNameKey) {
        assertThat(TaskHeaders.mayNameKey(header, value.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(mayNameKey);
    }

    @Test
    void aContentTypeWithoutAValueNamesNone() {
        assertThat(TaskHeaders.mayNameKey(TaskHeaders.CONTENT_TYPE, null)).isFalse();
    }
}
