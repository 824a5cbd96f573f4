package dev.tandem.spring;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;

/**
 * Sets the levels of the log of Kafka's clients where the application says nothing of them. They log all of their settings at
 * the start, and each attempt to reach a broker that is away. Tandem says once what is wrong then.
 */
final class LogLevels implements EnvironmentPostProcessor, Ordered {

    private static final String PREFIX = "logging.level.";
    private static final String KAFKA = PREFIX + "org.apache.kafka";

    /** Logs two errors for each record that a consumer takes later for want of memory. */
    private static final String UNREADABLE = KAFKA + ".clients.consumer.internals.CompletedFetch";

    private static final Map<String, String> LEVELS = Map.of(KAFKA, "warn", UNREADABLE, "off");

    /** An application with one of these has its levels there, which properties would overrule. */
    private static final List<String> FILES = List.of(
            "logback-test-spring.xml",
            "logback-test.xml",
            "logback-spring.xml",
            "logback.xml",
            "log4j2-test.xml",
            "log4j2-spring.xml",
            "log4j2.xml");

    LogLevels() {}

    /** Runs once all settings of the application are known. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (!environment.getProperty("tandem.enabled", Boolean.class, true) || hasFile(environment, application)) {
            return;
        }
        Map<String, Object> levels = new LinkedHashMap<>(LEVELS);
        // Default properties come behind what is added here.
        levels.keySet().removeIf(environment::containsProperty);
        if (!levels.isEmpty()) {
            environment.getPropertySources().addLast(new MapPropertySource("tandemLogLevels", levels));
        }
    }

    private static boolean hasFile(ConfigurableEnvironment environment, SpringApplication application) {
        if (environment.containsProperty("logging.config")) {
            return true;
        }
        ResourceLoader loader = application.getResourceLoader();
        ClassLoader classes = loader != null ? loader.getClassLoader() : ClassUtils.getDefaultClassLoader();
        return classes != null && FILES.stream().anyMatch(each -> classes.getResource(each) != null);
    }
}
