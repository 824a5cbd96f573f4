package dev.tandem.server;

import dev.tandem.server.api.ApiConfiguration;
import dev.tandem.server.console.ConsoleConfiguration;
import dev.tandem.server.runtime.RuntimeConfiguration;
import dev.tandem.server.security.SecurityConfiguration;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** The Spring configuration of the server. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({RuntimeConfiguration.class, ApiConfiguration.class, ConsoleConfiguration.class, SecurityConfiguration.class})
class ServerConfiguration {}
