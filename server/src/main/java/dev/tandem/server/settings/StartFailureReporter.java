package dev.tandem.server.settings;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootExceptionReporter;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Keeps Spring Boot from reporting what {@link StartFailures} have words for: the server tells that itself. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class StartFailureReporter implements SpringBootExceptionReporter {

    /** Called by Spring Boot. @param context null if there is none yet */
    StartFailureReporter(@Nullable ConfigurableApplicationContext context) {}

    @Override
    public boolean reportException(Throwable failure) {
        return StartFailures.analyse(failure) != null;
    }
}
