package dev.tandem.kafka;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** The warnings that sources log while it is open. */
final class LoggedWarnings implements AutoCloseable {

    private final Logger logger = (Logger) LoggerFactory.getLogger(KafkaSource.class);
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    LoggedWarnings() {
        appender.start();
        logger.addAppender(appender);
    }

    /** Returns the warnings that name this queue. */
    List<String> of(String queue) {
        return List.copyOf(appender.list).stream()
                .filter(each -> each.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .filter(each -> each.contains("'" + queue + "'"))
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
