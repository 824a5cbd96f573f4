package dev.tandem.rabbit;

import com.rabbitmq.client.Connection;
import dev.tandem.rabbit.QueueTopology.Exchange;
import dev.tandem.rabbit.QueueTopology.ExchangeBinding;
import dev.tandem.rabbit.QueueTopology.Part;
import dev.tandem.rabbit.QueueTopology.Queue;
import dev.tandem.rabbit.QueueTopology.QueueBinding;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Declares a queue's topology on its broker: creates what is missing and checks what exists. Used by one thread. */
final class TopologyDeclarer {

    private final BrokerProduct broker;
    private final RabbitSettings settings;
    private final QueueLog queueLog;
    private final DeclareChannel channel;
    private final DeclareRefusals refusals;
    private Optional<ForgottenQueues> forgotten = Optional.empty();

    TopologyDeclarer(Connection connection, BrokerProduct broker, RabbitSettings settings, QueueLog queueLog) {
        this.broker = broker;
        this.settings = settings;
        this.queueLog = queueLog;
        this.channel = new DeclareChannel(connection);
        this.refusals = new DeclareRefusals(settings);
    }

    /**
     * Declares all durable parts.
     *
     * @throws RabbitTopologyException if a part cannot be made as it is needed
     * @throws IOException if the connection broke
     */
    DeclaredQueues declare() throws IOException {
        checkBroker();
        try {
            forgotten = ForgottenQueues.find(channel, settings, ForgottenQueues.MOST);
            queueLog.forgotten(forgotten);
            return settings.ordered() ? declareOrdered() : declareUnordered();
        } finally {
            channel.close();
        }
    }

    /** Returns the queues that another ordering has left, once the topology was declared. */
    Optional<ForgottenQueues> forgotten() {
        return forgotten;
    }

    private void checkBroker() {
        if (broker.isRabbit() && broker.isOlderThan(3, 10)) {
            throw new RabbitTopologyException(broker + " is too old: Tandem needs RabbitMQ 3.10 or later");
        }
        if (settings.ordered() && !broker.isRabbit()) {
            throw new RabbitTopologyException("'ordering: key' of the queue '" + settings.queue()
                    + "' needs RabbitMQ with its consistent-hash exchange, but this broker is " + broker
                    + ". Use RabbitMQ or a Kafka topic, or set 'ordering: none'");
        }
        if (settings.maxPriority() > 0 && !broker.isRabbit()) {
            throw new RabbitTopologyException("'max-priority: " + settings.maxPriority() + "' of the queue '"
                    + settings.queue() + "' needs RabbitMQ, but this broker is " + broker
                    + ". Leave it out; Tandem goes by priorities among the messages that it has fetched");
        }
    }

    // ---- unordered queues

    private DeclaredQueues declareUnordered() throws IOException {
        String name = settings.brokerQueue();
        boolean declaredByOthers = exists(name) && differsFromOurs(name);
        for (Part part : QueueTopology.unordered(settings, broker, declaredByOthers)) {
            declare(part, declaredByOthers);
        }
        return new DeclaredQueues(Collections.nCopies(settings.partitions(), name), false);
    }

    private boolean differsFromOurs(String name) throws IOException {
        Queue ours = QueueTopology.unorderedQueue(settings, broker);
        IOException refusal = channel.attempt(c -> c.queueDeclare(name, true, false, false, ours.arguments()));
        if (refusal == null) {
            return false;
        }
        DeclareRefusals.requireReply(refusal);
        if (settings.maxPriority() > 0) {
            throw refusals.explainPriority(name, refusal);
        }
        queueLog.info("the queue '" + name + "' exists with other arguments than Tandem's and is used as it is ("
                + BrokerErrors.replyText(refusal) + ")");
        warnOfLimits(refusal);
        return true;
    }

    /** Warns if the existing queue lacks an argument that Tandem's guarantees depend on. */
    private void warnOfLimits(IOException refusal) {
        String argument = DeclareRefusals.differingArgument(refusal);
        if (argument.startsWith("x-delivery-limit") || argument.startsWith("x-dead-letter")) {
            queueLog.warn("the queue '" + settings.brokerQueue() + "' has another " + argument
                    + " than Tandem's. If it is a quorum queue, the broker may drop messages that were delivered often."
                    + " Set a policy with a delivery-limit of " + QueueTopology.DELIVERY_LIMIT
                    + " and a dead-letter-exchange");
        }
    }

    // ---- ordered queues

    private DeclaredQueues declareOrdered() throws IOException {
        checkKindOfKey();
        int existing = 0;
        while (exists(QueueTopology.subQueueName(settings, existing))) {
            existing++;
        }
        int count = Math.max(existing, settings.partitions());
        if (existing > settings.partitions()) {
            queueLog.info("all " + existing + " existing sub-queues '" + settings.brokerQueue()
                    + ".<n>' are used, although the setting 'partitions' is " + settings.partitions());
        } else if (existing > 0 && existing < settings.partitions()) {
            queueLog.warn("adding sub-queues to the " + existing
                    + " existing ones, because the setting 'partitions' is " + settings.partitions()
                    + ". Keys move, so the order within a key is not kept across this change");
        }
        for (Part part : QueueTopology.ordered(settings, count)) {
            declare(part, false);
        }
        return new DeclaredQueues(QueueTopology.subQueueNames(settings, count), existing < count);
    }

    private void checkKindOfKey() throws IOException {
        String other = QueueTopology.otherKeysExchange(settings);
        if (exists(c -> c.exchangeDeclarePassive(other), "The exchange '" + other + "'")) {
            String otherKey = settings.keyIsRoutingKey() ? "header" : "routing-key";
            throw new RabbitTopologyException("The sub-queues of '" + settings.brokerQueue()
                    + "' are fed by the exchange '" + other + "', which was made for 'key: " + otherKey
                    + "'. Set the queue's 'key' to '" + otherKey
                    + "', or delete the exchange once the sub-queues are empty");
        }
    }

    // ---- the ring of an ordered queue

    /**
     * Takes the right to build the ring, until the connection ends.
     *
     * @return false if another connection has it
     */
    boolean lockRing() throws IOException {
        String lock = QueueTopology.ringLockQueue(settings);
        IOException failure =
                channel.attempt(c -> c.queueDeclare(lock, false, true, true, Map.of("x-queue-type", "classic")));
        if (failure != null && BrokerErrors.replyCode(failure) != BrokerErrors.RESOURCE_LOCKED) {
            throw refusals.explainRing("The queue '" + lock + "'", failure);
        }
        return failure == null;
    }

    /** Builds the ring, or its missing parts. Requires the lock. */
    void declareRing(DeclaredQueues queues) throws IOException {
        if (queues.subQueuesAdded()) {
            removeRing();
        }
        for (Part part : QueueTopology.ring(settings, queues.names().size())) {
            declare(part, false);
        }
    }

    /** Lets messages reach the ring from now on. */
    void openRing() throws IOException {
        declare(QueueTopology.ringBinding(settings), false);
    }

    private void removeRing() throws IOException {
        ExchangeBinding binding = QueueTopology.ringBinding(settings);
        // The binding goes first: messages under way to the exchange would be dropped when it is deleted.
        IOException unbound =
                channel.attempt(c -> c.exchangeUnbind(binding.destination(), binding.source(), binding.key()));
        IOException deleted = channel.attempt(c -> c.exchangeDelete(binding.destination()));
        for (IOException failure : Arrays.asList(unbound, deleted)) {
            if (failure != null && BrokerErrors.replyCode(failure) != BrokerErrors.NOT_FOUND) {
                throw refusals.explainRing("The exchange '" + binding.destination() + "'", failure);
            }
        }
    }

    // ---- single parts

    private boolean exists(String queue) throws IOException {
        return exists(c -> c.queueDeclarePassive(queue), "The queue '" + queue + "'");
    }

    private boolean exists(DeclareChannel.Call passiveDeclare, String what) throws IOException {
        IOException failure = channel.attempt(passiveDeclare);
        if (failure == null) {
            return true;
        }
        DeclareRefusals.requireReply(failure);
        if (BrokerErrors.replyCode(failure) == BrokerErrors.NOT_FOUND) {
            return false;
        }
        throw refusals.explain(what, failure);
    }

    private void declare(Part part, boolean declaredByOthers) throws IOException {
        if (part instanceof Exchange exchange) {
            declareExchange(exchange);
        } else if (part instanceof Queue queue) {
            IOException failure =
                    channel.attempt(c -> c.queueDeclare(queue.name(), true, false, false, queue.arguments()));
            if (failure != null && !(DeclareRefusals.isForbidden(failure) && exists(queue.name()))) {
                throw refusals.explain("The queue '" + queue.name() + "'", failure);
            }
        } else if (part instanceof QueueBinding binding) {
            IOException failure = channel.attempt(c -> c.queueBind(binding.queue(), binding.exchange(), binding.key()));
            checkBound(failure, binding.queue(), binding.exchange(), declaredByOthers);
        } else if (part instanceof ExchangeBinding binding) {
            IOException failure =
                    channel.attempt(c -> c.exchangeBind(binding.destination(), binding.source(), binding.key()));
            checkBound(failure, binding.destination(), binding.source(), declaredByOthers);
        }
    }

    private void declareExchange(Exchange exchange) throws IOException {
        IOException failure = channel.attempt(c ->
                c.exchangeDeclare(exchange.name(), exchange.type(), exchange.durable(), false, exchange.arguments()));
        if (failure == null) {
            return;
        }
        if (DeclareRefusals.isForbidden(failure)
                && channel.attempt(c -> c.exchangeDeclarePassive(exchange.name())) == null) {
            return; // It exists, although this user may not create it.
        }
        throw refusals.explainExchange(exchange, broker, failure);
    }

    private void checkBound(@Nullable IOException failure, String destination, String source, boolean declaredByOthers)
            throws IOException {
        if (failure == null) {
            return;
        }
        if (declaredByOthers && DeclareRefusals.isForbidden(failure)) {
            queueLog.warn("this user may not bind '" + destination + "' to the exchange '" + source
                    + "', so only messages that others route to the queue arrive");
            return;
        }
        throw refusals.explain("The binding of '" + destination + "' to the exchange '" + source + "'", failure);
    }
}
