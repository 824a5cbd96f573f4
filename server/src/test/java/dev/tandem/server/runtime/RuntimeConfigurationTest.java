package dev.tandem.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.Result;
import dev.tandem.runtime.settings.SettingsException;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.handlers.AdditionalHandlers;
import dev.tandem.server.handlers.HostedHandlers;
import dev.tandem.server.masking.PayloadMasks;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class RuntimeConfigurationTest {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final Map<String, Object> properties = new LinkedHashMap<>(Map.of("tandem.queues.orders.source", "kafka"));

    @Test
    void additionalHandlersAreAddedToEveryQueue() {
        properties.put("tandem.demo.events", "run.events");
        AdditionalHandlers additional = settings -> Map.of("demo", task -> Result.done());
        beans.registerSingleton("additional", additional);
        TandemSettings settings = load();

        assertThat(hostedHandlers(settings).of("orders", settings.queues().get("orders"), false))
                .containsOnlyKeys("demo");
    }

    @Test
    void serverWithoutTheDemoHandlerRefusesItsSetting() {
        properties.put("tandem.demo.events", "run.events");

        assertThatThrownBy(() -> hostedHandlers(load()))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith("tandem.demo.events is 'run.events': ")
                .hasMessageContaining("leave it out");
    }

    @Test
    void serverThatRunsNoTasksNeedsNoDemoHandler() {
        properties.put("tandem.demo.events", "run.events");
        properties.put("tandem.executor.enabled", "false");
        TandemSettings settings = load();

        assertThat(hostedHandlers(settings).of("orders", settings.queues().get("orders"), false))
                .isEmpty();
    }

    /** Otherwise a publisher could have any task succeed with the type noop. */
    @Test
    void publisherReachesOnlyTheHandlersThatTheQueueNames() {
        properties.put("tandem.queues.orders.handler", "http");
        properties.put("tandem.queues.orders.http.url", "http://localhost:1/");
        properties.put("tandem.queues.mails.source", "kafka");
        properties.put("tandem.queues.mails.handler", "log");
        TandemSettings settings = load();

        assertThat(hostedHandlers(settings).of("orders", settings.queues().get("orders"), false))
                .containsOnlyKeys("http");
        assertThat(hostedHandlers(settings).of("mails", settings.queues().get("mails"), false))
                .containsOnlyKeys("log");
    }

    private HostedHandlers hostedHandlers(TandemSettings settings) {
        return new RuntimeConfiguration()
                .hostedHandlers(
                        settings,
                        new PayloadMasks(settings.queues(), null),
                        beans.getBeanProvider(AdditionalHandlers.class),
                        new SimpleMeterRegistry(),
                        beans.getBeanProvider(SslBundles.class));
    }

    private TandemSettings load() {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
        return SettingsLoader.load(environment);
    }
}
