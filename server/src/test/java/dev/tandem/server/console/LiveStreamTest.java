package dev.tandem.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LiveStreamTest {

    @Test
    void eachLineOfAnEventIsMarkedSoThatNoTextEndsItEarly() {
        assertThat(LiveStream.event("content", "<p>\n\nevent: other\r\ndata: x</p>"))
                .isEqualTo("event: content\ndata: <p>\ndata: \ndata: event: other\ndata: data: x</p>\n\n");
        assertThat(LiveStream.event("stale", "")).isEqualTo("event: stale\ndata:\n\n");
    }
}
