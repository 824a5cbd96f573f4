package dev.tandem.demo;

import dev.tandem.runtime.settings.HostedTypes;
import dev.tandem.server.TandemServer;
import dev.tandem.server.handlers.AdditionalHandlers;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The server with the {@code demo} handler, which exists only where {@code tandem.demo.events} is set. */
public final class DemoServer {

    private DemoServer() {}

    public static void main(String[] args) {
        SpringApplication application = TandemServer.application();
        application.addPrimarySources(Set.of(DemoConfiguration.class));
        TandemServer.run(application, args);
    }

    /** Adds the handler. */
    @Configuration(proxyBeanMethods = false)
    static class DemoConfiguration {

        @Bean
        AdditionalHandlers demoHandlers() {
            return settings -> {
                String events = settings.demo().events();
                return events.isEmpty() ? Map.of() : Map.of(HostedTypes.DEMO, new DemoHandler(Path.of(events)));
            };
        }
    }
}
