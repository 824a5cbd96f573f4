package dev.tandem.server.handlers;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.api.Result;
import dev.tandem.server.masking.PayloadMasks;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LogHandlerTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.tandem.task");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        logger.setLevel(ch.qos.logback.classic.Level.INFO);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

    @Test
    void taskIsLoggedInOneLineWithoutItsPayload() {
        assertThat(new LogHandler(null).handle(new FakeTask().id("a\nb"))).isEqualTo(Result.done());

        assertThat(lines.list)
                .singleElement()
                .asString()
                .endsWith("queue=orders id=a?b type=http key=customer-7 attempt=3 bytes=11");
    }

    @Test
    void beginningOfThePayloadIsLoggedIfEnabled() {
        new LogHandler(new PayloadMasks(Map.of(), null)).handle(new FakeTask().payload("x".repeat(5_000)));

        assertThat(lines.list).singleElement().asString().endsWith("bytes=5000 payload=" + "x".repeat(1_000) + "…");
    }

    @Test
    void maskedPartsOfThePayloadAreNotLogged() {
        PayloadMasks masks =
                new PayloadMasks(Map.of(), (queue, type, payload) -> "{}".getBytes(StandardCharsets.UTF_8));
        new LogHandler(masks).handle(new FakeTask().payload("secret"));

        assertThat(lines.list).singleElement().asString().endsWith("bytes=6 payload={}");
    }
}
