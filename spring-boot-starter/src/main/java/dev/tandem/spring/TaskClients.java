package dev.tandem.spring;

import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskClient;
import dev.tandem.client.TandemClient;
import dev.tandem.client.TandemClientBuilder;
import dev.tandem.client.TransactionBoundary;
import dev.tandem.runtime.queues.QueueClients;
import dev.tandem.runtime.settings.SettingsException;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.runtime.settings.TandemSettings;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import tools.jackson.databind.json.JsonMapper;

/** Makes the client of an application, for all queues of its settings. */
final class TaskClients {

    private TaskClients() {}

    /** @throws SettingsException naming every setting that is wrong, or that there is no queue */
    static TaskClient open(
            SettingsEnvironment environment,
            JsonMapper json,
            List<SubmitInterceptor> interceptors,
            TransactionBoundary transactions,
            Consumer<TandemClient> metrics) {
        TandemSettings settings = SettingsLoader.loadForProgram(environment.get(), Map.of());
        if (settings.queues().isEmpty()) {
            throw SettingsException.of(
                    "tandem.queues",
                    null,
                    "the application submits tasks and has no queue: name one, such as tandem.queues.orders.source=kafka");
        }
        TandemClientBuilder builder = QueueClients.builder(settings).json(json).transactions(transactions);
        interceptors.forEach(builder::interceptor);
        TandemClient client = builder.build();
        metrics.accept(client);
        return client;
    }
}
