package dev.tandem.rabbit;

import dev.tandem.rabbit.QueueTopology.Exchange;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns the broker's refusals of declarations into errors that say what to do. */
final class DeclareRefusals {

    private static final Pattern INEQUIVALENT =
            Pattern.compile("inequivalent arg '([^']+)' for [^:]*: received (.*?) but current is (.*)");
    private static final Pattern UNKNOWN_TYPE = Pattern.compile("(?i)(unknown|invalid) exchange type");

    private final RabbitSettings settings;

    DeclareRefusals(RabbitSettings settings) {
        this.settings = settings;
    }

    /** Throws the failure if the broker did not reply, which means that the connection broke. */
    static void requireReply(IOException failure) throws IOException {
        if (BrokerErrors.replyCode(failure) == 0) {
            throw failure;
        }
    }

    static boolean isForbidden(IOException failure) {
        return BrokerErrors.replyCode(failure) == BrokerErrors.ACCESS_REFUSED;
    }

    /** Returns the argument in which the existing queue differs; empty if the failure names none. */
    static String differingArgument(IOException failure) {
        Matcher differs = INEQUIVALENT.matcher(BrokerErrors.replyText(failure));
        return differs.find() ? differs.group(1) : "";
    }

    /**
     * Explains a refusal.
     *
     * @param what names the part, as the subject of a sentence
     * @throws IOException the failure itself, if the broker did not reply
     */
    RabbitTopologyException explain(String what, IOException failure) throws IOException {
        requireReply(failure);
        String reply = BrokerErrors.replyText(failure);
        Matcher differs = INEQUIVALENT.matcher(reply);
        if (differs.find()) {
            return new RabbitTopologyException(
                    what + " exists, but its '" + differs.group(1) + "' is " + differs.group(3) + " and Tandem needs "
                            + differs.group(2) + ". Delete it once it is empty, or give the queue '" + settings.queue()
                            + "' another name in its setting 'queue' (or 'exchange')",
                    failure);
        }
        if (isForbidden(failure)) {
            return new RabbitTopologyException(
                    what + " cannot be used: RabbitMQ denies access (" + reply + "). Grant this user configure, write"
                            + " and read on names that begin with '" + settings.brokerQueue()
                            + "' and on the exchange '"
                            + settings.exchange() + "', or have an administrator declare them",
                    failure);
        }
        return new RabbitTopologyException(what + " cannot be declared: " + BrokerErrors.explain(failure), failure);
    }

    /** Explains that a queue exists without the priorities that it should have. */
    RabbitTopologyException explainPriority(String queue, IOException failure) {
        return new RabbitTopologyException(
                "'max-priority: " + settings.maxPriority() + "' of the queue '" + settings.queue()
                        + "' cannot have effect: the queue '" + queue + "' exists with other arguments ("
                        + BrokerErrors.replyText(failure) + "), and RabbitMQ does not change them. Leave 'max-priority'"
                        + " out to use the queue as it is; or delete it once it is empty, or set 'queue' to another"
                        + " name, and Tandem declares it with priorities",
                failure);
    }

    /** Explains the refusal of an exchange. */
    RabbitTopologyException explainExchange(Exchange exchange, BrokerProduct broker, IOException failure)
            throws IOException {
        String what = "The exchange '" + exchange.name() + "'";
        if (UNKNOWN_TYPE.matcher(BrokerErrors.replyText(failure)).find()) {
            return new RabbitTopologyException(
                    "'ordering: key' of the queue '" + settings.queue() + "' needs the exchange type '"
                            + exchange.type() + "', which this " + broker + " does not have. Enable its plugin on every"
                            + " node with 'rabbitmq-plugins enable rabbitmq_consistent_hash_exchange'",
                    failure);
        }
        if (!exchange.durable() && BrokerErrors.replyCode(failure) == BrokerErrors.PRECONDITION_FAILED) {
            return new RabbitTopologyException(
                    what + " was declared differently from how Tandem declares it (" + BrokerErrors.replyText(failure)
                            + "). Delete it: it holds no messages, and Tandem creates it again within seconds",
                    failure);
        }
        return exchange.durable() ? explain(what, failure) : explainRing(what, failure);
    }

    /** Explains a refusal of a part of the ring. No administrator can declare those in advance. */
    RabbitTopologyException explainRing(String what, IOException failure) throws IOException {
        if (!isForbidden(failure)) {
            return explain(what, failure);
        }
        return new RabbitTopologyException(
                what + " cannot be used: RabbitMQ denies access (" + BrokerErrors.replyText(failure)
                        + "). With 'ordering: key', the exchange that spreads the keys of the queue '"
                        + settings.queue() + "' is created again after each restart of the broker. Besides write and"
                        + " read, grant this user configure on '" + QueueTopology.ringLockQueue(settings) + "' and '"
                        + QueueTopology.ringExchange(settings) + "'",
                failure);
    }
}
