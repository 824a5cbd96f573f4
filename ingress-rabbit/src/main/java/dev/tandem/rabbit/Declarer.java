package dev.tandem.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.rabbit.Topology.Exchange;
import dev.tandem.rabbit.Topology.ExchangeBinding;
import dev.tandem.rabbit.Topology.Part;
import dev.tandem.rabbit.Topology.Queue;
import dev.tandem.rabbit.Topology.QueueBinding;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes what is missing on the broker and checks what is there. A refused declaration closes its channel, so each goes
 * on whatever channel is open, else on a new one.
 */
final class Declarer {

    private static final Pattern INEQUIVALENT =
            Pattern.compile("inequivalent arg '([^']+)' for [^:]*: received (.*?) but current is (.*)");
    private static final Pattern UNKNOWN_TYPE = Pattern.compile("(?i)(unknown|invalid) exchange type");

    private final Connection connection;
    private final Broker broker;
    private final RabbitSettings settings;
    private final Notes notes;
    private @Nullable Channel channel;

    /** What people should know, though all goes on. */
    interface Notes {
        void info(String text);

        void warn(String text);
    }

    /**
     * What was declared.
     *
     * @param queues the queue of each partition
     * @param grown sub-queues were missing and are made now: the ring must be made anew, or it would be another one
     *     than the next restart's
     */
    record Declared(List<String> queues, boolean grown) {}

    private interface Call {
        void on(Channel channel) throws IOException;
    }

    Declarer(Connection connection, Broker broker, RabbitSettings settings, Notes notes) {
        this.connection = connection;
        this.broker = broker;
        this.settings = settings;
        this.notes = notes;
    }

    /**
     * Declares all that is durable.
     *
     * @throws RabbitTopologyException if something can't be as it must, and what to do about it
     * @throws IOException if the connection broke
     */
    Declared declare() throws IOException {
        checkBroker();
        try {
            return settings.ordered() ? declareOrdered() : declareUnordered();
        } finally {
            closeQuietly();
        }
    }

    private void checkBroker() {
        if (broker.isRabbit() && broker.isOlderThan(3, 10)) {
            throw new RabbitTopologyException(broker + " is too old: Tandem needs RabbitMQ 3.10 or later");
        }
        if (settings.ordered() && !broker.isRabbit()) {
            throw new RabbitTopologyException("'ordering: key' of the queue '" + settings.queue()
                    + "' needs RabbitMQ with its consistent-hash exchange, and this is " + broker
                    + ": use RabbitMQ, or ordering: none, or a Kafka topic");
        }
    }

    private Declared declareUnordered() throws IOException {
        checkSubQueues();
        String name = settings.brokerQueue();
        boolean foreign = false;
        if (isThere(name)) {
            Queue ours = Topology.queue(settings, broker);
            IOException differs = attempt(c -> c.queueDeclare(name, true, false, false, ours.arguments()));
            if (differs != null) {
                foreign = true;
                requireReply(differs);
                notes.info("the queue '" + name + "' is used as it is (" + Replies.text(differs) + ")");
                warnOfItsLimits(differs);
            }
        }
        for (Part part : Topology.unordered(settings, broker, foreign)) {
            declare(part, foreign);
        }
        return new Declared(Collections.nCopies(settings.partitions(), name), false);
    }

    /** Not ours to change, but what guarantees rest on is said. */
    private void warnOfItsLimits(IOException differs) {
        String argument = argument(differs);
        if (argument.startsWith("x-delivery-limit") || argument.startsWith("x-dead-letter")) {
            notes.warn("the queue '" + settings.brokerQueue() + "' was made with another " + argument
                    + " than Tandem's: if it is a quorum queue, the broker may drop messages that were delivered often."
                    + " Set a policy with a delivery-limit of " + Topology.DELIVERY_LIMIT
                    + " and a dead-letter-exchange");
        }
    }

    private void checkKeys() throws IOException {
        String other = Topology.otherKeysName(settings);
        if (isThere(c -> c.exchangeDeclarePassive(other), "The exchange '" + other + "'")) {
            throw new RabbitTopologyException("The sub-queues of '" + settings.brokerQueue()
                    + "' are filled by the exchange '" + other + "', which was made for key: "
                    + (settings.keyIsRoutingKey() ? "header" : "routing-key")
                    + ". Set the queue's 'key' to that, or delete the exchange once the sub-queues are empty");
        }
        if (isThere(settings.brokerQueue())) {
            notes.warn("the queue '" + settings.brokerQueue() + "' exists beside the sub-queues. If it was made for"
                    + " ordering: none it still gets every message, and nobody takes them: delete it once it is"
                    + " empty");
        }
    }

    private void checkSubQueues() throws IOException {
        String first = Topology.subQueueName(settings, 0);
        if (isThere(first)) {
            notes.warn("the queue '" + first + "' exists. If it was made for ordering: key it still gets its share of"
                    + " every message, and nobody takes them: delete it and its siblings once they are empty");
        }
    }

    private Declared declareOrdered() throws IOException {
        checkKeys();
        int existing = 0;
        while (isThere(Topology.subQueueName(settings, existing))) {
            existing++;
        }
        int count = Math.max(existing, settings.partitions());
        if (existing > settings.partitions()) {
            notes.info("there are " + existing + " sub-queues '" + settings.brokerQueue() + ".<n>': all are used,"
                    + " though partitions is " + settings.partitions());
        } else if (existing > 0 && existing < settings.partitions()) {
            notes.warn("sub-queues are added to the " + existing + " that exist, since partitions is "
                    + settings.partitions() + ": keys move, and the order of one key is not kept across this change");
        }
        for (Part part : Topology.ordered(settings, count)) {
            declare(part, false);
        }
        return new Declared(Topology.subQueueNames(settings, count), existing < count);
    }

    // ---- the ring

    /**
     * Takes the right to make the ring, until the connection ends.
     *
     * @return false if another connection has it
     */
    boolean lock() throws IOException {
        String lock = Topology.lockName(settings);
        IOException failed = attempt(c -> c.queueDeclare(lock, false, true, true, Map.of("x-queue-type", "classic")));
        if (failed != null && Replies.code(failed) != Replies.RESOURCE_LOCKED) {
            throw ringRefused("The queue '" + lock + "'", failed);
        }
        return failed == null;
    }

    /** Makes the ring, or what is missing of it. Only with the right to do so. */
    void makeRing(Declared declared) throws IOException {
        if (declared.grown()) {
            removeRing();
        }
        for (Part part : Topology.ring(settings, declared.queues().size())) {
            declare(part, false);
        }
    }

    /** From now on messages go by the ring. */
    void openRing() throws IOException {
        declare(Topology.wayToRing(settings), false);
    }

    private void removeRing() throws IOException {
        ExchangeBinding way = Topology.wayToRing(settings);
        // First the way: a message that is on it while the exchange goes would be dropped.
        IOException closed = attempt(c -> c.exchangeUnbind(way.destination(), way.source(), way.key()));
        IOException deleted = attempt(c -> c.exchangeDelete(way.destination()));
        for (IOException failed : Arrays.asList(closed, deleted)) {
            if (failed != null && Replies.code(failed) != Replies.NOT_FOUND) {
                throw ringRefused("The exchange '" + way.destination() + "'", failed);
            }
        }
    }

    /** Nobody else can make what is not durable, once and for all. */
    private RabbitTopologyException ringRefused(String what, IOException failed) throws IOException {
        if (!isForbidden(failed)) {
            return refused(what, failed);
        }
        return new RabbitTopologyException(
                what + " is not allowed to this user (" + Replies.text(failed) + "): 'ordering: key' of the queue '"
                        + settings.queue() + "' makes the exchange that spreads its keys anew after each restart of the"
                        + " broker. In addition to write and read, grant configure on '" + Topology.lockName(settings)
                        + "' and '" + Topology.ringName(settings) + "'",
                failed);
    }

    private boolean isThere(String queue) throws IOException {
        return isThere(c -> c.queueDeclarePassive(queue), "The queue '" + queue + "'");
    }

    private boolean isThere(Call passively, String what) throws IOException {
        IOException failed = attempt(passively);
        if (failed == null) {
            return true;
        }
        requireReply(failed);
        if (Replies.code(failed) == Replies.NOT_FOUND) {
            return false;
        }
        throw refused(what, failed);
    }

    private void declare(Part part, boolean foreign) throws IOException {
        if (part instanceof Exchange exchange) {
            exchange(exchange);
        } else if (part instanceof Queue queue) {
            IOException failed = attempt(c -> c.queueDeclare(queue.name(), true, false, false, queue.arguments()));
            if (failed != null && !(isForbidden(failed) && isThere(queue.name()))) {
                throw refused("The queue '" + queue.name() + "'", failed);
            }
        } else if (part instanceof QueueBinding binding) {
            IOException failed = attempt(c -> c.queueBind(binding.queue(), binding.exchange(), binding.key()));
            bound(failed, "'" + binding.queue() + "' to the exchange '" + binding.exchange() + "'", foreign);
        } else if (part instanceof ExchangeBinding binding) {
            IOException failed = attempt(c -> c.exchangeBind(binding.destination(), binding.source(), binding.key()));
            bound(failed, "'" + binding.destination() + "' to the exchange '" + binding.source() + "'", foreign);
        }
    }

    private void exchange(Exchange exchange) throws IOException {
        IOException failed = attempt(c ->
                c.exchangeDeclare(exchange.name(), exchange.type(), exchange.durable(), false, exchange.arguments()));
        if (failed == null) {
            return;
        }
        if (isForbidden(failed) && attempt(c -> c.exchangeDeclarePassive(exchange.name())) == null) {
            return; // It exists, and we may just not make any.
        }
        if (UNKNOWN_TYPE.matcher(Replies.text(failed)).find()) {
            throw new RabbitTopologyException(
                    "'ordering: key' of the queue '" + settings.queue() + "' needs the exchange type '"
                            + exchange.type() + "', which this " + broker + " does not have: enable its plugin on every"
                            + " node with 'rabbitmq-plugins enable rabbitmq_consistent_hash_exchange'",
                    failed);
        }
        if (!exchange.durable() && Replies.code(failed) == Replies.PRECONDITION_FAILED) {
            throw new RabbitTopologyException(
                    "The exchange '" + exchange.name() + "' is not as Tandem makes it (" + Replies.text(failed)
                            + "). Delete it: it holds no messages, and is made anew within seconds",
                    failed);
        }
        String what = "The exchange '" + exchange.name() + "'";
        throw exchange.durable() ? refused(what, failed) : ringRefused(what, failed);
    }

    private static boolean isForbidden(IOException failed) {
        return Replies.code(failed) == Replies.ACCESS_REFUSED;
    }

    private void bound(@Nullable IOException failed, String what, boolean foreign) throws IOException {
        if (failed == null) {
            return;
        }
        if (foreign && isForbidden(failed)) {
            notes.warn("it is not allowed to bind " + what + ": only what others send to the queue comes in");
            return;
        }
        throw refused("The binding of " + what, failed);
    }

    /** What the broker's refusal means and what to do. Throws the failure itself if it was none. */
    private RabbitTopologyException refused(String what, IOException failed) throws IOException {
        requireReply(failed);
        String says = Replies.text(failed);
        Matcher differs = INEQUIVALENT.matcher(says);
        if (differs.find()) {
            return new RabbitTopologyException(
                    what + " exists with another '" + differs.group(1) + "' than Tandem needs: it has "
                            + differs.group(3) + ", needed is " + differs.group(2)
                            + ". Delete it once it is empty, or give the queue '" + settings.queue()
                            + "' another name in its setting 'queue' (or 'exchange')",
                    failed);
        }
        if (isForbidden(failed)) {
            return new RabbitTopologyException(
                    what + " is not allowed to this user (" + says + "): grant configure, write and read on names that"
                            + " begin with '" + settings.brokerQueue() + "' and on the exchange '"
                            + settings.exchange() + "', or have an administrator declare them",
                    failed);
        }
        return new RabbitTopologyException(what + " can't be declared: " + Replies.reason(failed), failed);
    }

    private static String argument(IOException failed) {
        Matcher differs = INEQUIVALENT.matcher(Replies.text(failed));
        return differs.find() ? differs.group(1) : "";
    }

    /** A failure without the broker's answer is the connection's. */
    private static void requireReply(IOException failed) throws IOException {
        if (Replies.code(failed) == 0) {
            throw failed;
        }
    }

    /** @return how it failed; null if it did not */
    private @Nullable IOException attempt(Call call) throws IOException {
        try {
            call.on(open());
            return null;
        } catch (IOException e) {
            return e;
        } catch (ShutdownSignalException e) {
            return new IOException(e);
        }
    }

    private Channel open() throws IOException {
        Channel current = channel;
        if (current == null || !current.isOpen()) {
            current = Client.channel(connection);
            channel = current;
        }
        return current;
    }

    private void closeQuietly() throws IOException {
        Channel current = channel;
        if (current != null) {
            current.abort();
        }
    }
}
