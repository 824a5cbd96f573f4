package dev.tandem.demo;

import dev.tandem.runtime.settings.HostedTypes;
import dev.tandem.server.TandemServer;
import dev.tandem.server.handlers.AdditionalHandlers;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerPortFileWriter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The server with the {@code demo} handler, which exists only where {@code tandem.demo.events} is set. */
public final class DemoServer {

    /** The system property, no setting of Tandem, that names the file into which the server writes its port. */
    static final String PORT_FILE = "demo.port-file";

    private DemoServer() {}

    public static void main(String[] args) {
        SpringApplication application = TandemServer.application();
        application.addPrimarySources(Set.of(DemoConfiguration.class));
        String portFile = System.getProperty(PORT_FILE);
        if (portFile != null) {
            application.addListeners(new WebServerPortFileWriter(portFile));
        }
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
