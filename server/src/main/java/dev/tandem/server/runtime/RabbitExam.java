package dev.tandem.server.runtime;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.rabbit.QueueExam;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.runtime.queues.BrokerSettings;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.doctor.RabbitFacts;
import dev.tandem.task.FailureText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Looks at RabbitMQ and the broker's queues, over a connection that is made for it. Changes nothing. */
final class RabbitExam {

    private final TandemSettings settings;

    RabbitExam(TandemSettings settings) {
        this.settings = settings;
    }

    /** Returns the facts, whatever fails. */
    RabbitFacts facts() {
        Connection connection;
        try {
            connection = RabbitBacklog.connector(settings.rabbit()).connect("tandem-doctor");
        } catch (IOException | TimeoutException | RuntimeException e) {
            return new RabbitFacts(FailureText.of(e), null, List.of());
        }
        try {
            RabbitManagement management = RabbitManagement.of(settings).orElse(null);
            List<RabbitFacts.Queue> queues = new ArrayList<>();
            for (Map.Entry<String, QueueSettings> each : settings.queues().entrySet()) {
                if (each.getValue().effectiveSource() == SourceType.RABBIT) {
                    // Once a broker has not answered in time, the other queues are not tried: each would take as long.
                    RabbitFacts.Queue last = queues.isEmpty() ? null : queues.get(queues.size() - 1);
                    String silent = last == null ? null : last.failure();
                    queues.add(
                            silent == null
                                    ? queue(connection, management, each.getKey(), each.getValue())
                                    : failed(each.getKey(), each.getValue(), silent));
                }
            }
            return new RabbitFacts(null, QueueExam.Broker.of(connection), queues);
        } catch (IOException e) {
            return new RabbitFacts(FailureText.of(e), null, List.of());
        } finally {
            connection.abort(RabbitBacklog.TIMEOUT_MILLIS);
        }
    }

    private RabbitFacts.Queue queue(
            Connection connection, @Nullable RabbitManagement management, String name, QueueSettings queue) {
        RabbitSettings rabbit = BrokerSettings.rabbit(settings, name, queue);
        try {
            List<QueueExam.Look> looks = QueueExam.of(connection, rabbit);
            List<String> there = looks.stream()
                    .filter(QueueExam.Look::exists)
                    .map(QueueExam.Look::name)
                    .toList();
            return new RabbitFacts.Queue(
                    name,
                    queue.ordered(),
                    null,
                    looks,
                    QueueExam.forgotten(connection, rabbit).orElse(null),
                    management == null ? null : management.look(there));
        } catch (IOException | ShutdownSignalException e) {
            return failed(name, queue, FailureText.of(e));
        }
    }

    private static RabbitFacts.Queue failed(String name, QueueSettings queue, String why) {
        return new RabbitFacts.Queue(name, queue.ordered(), why, List.of(), null, null);
    }
}
