package dev.tandem.testkit;

import dev.tandem.kit.TcpProxy;
import dev.tandem.kit.TcpProxy.Mode;

/** A proxy in front of a broker, whose connections a test can freeze, cut and refuse. Thread-safe. */
public final class BrokerProxy implements AutoCloseable {

    private final TcpProxy proxy;

    /** @param uri of a RabbitMQ on this machine, ending in its port */
    public BrokerProxy(String uri) {
        this(0, Integer.parseInt(uri.substring(uri.lastIndexOf(':') + 1)));
    }

    BrokerProxy(int port, int target) {
        proxy = new TcpProxy(port, target);
    }

    /** The URI with which clients of RabbitMQ connect through this proxy. */
    public String uri() {
        return "amqp://guest:guest@" + address();
    }

    /** Host and port of this proxy. */
    public String address() {
        return "127.0.0.1:" + proxy.port();
    }

    /** Holds all bytes back. Neither side is told. */
    public void freeze() {
        proxy.set(Mode.STALLED);
    }

    /** Lets what was held back pass, and whatever comes. */
    public void thaw() {
        proxy.set(Mode.OPEN);
    }

    /** Breaks every connection. New ones pass. */
    public void cut() {
        proxy.breakConnections();
    }

    /** Breaks every connection and refuses new ones. */
    public void down() {
        proxy.set(Mode.BROKEN);
    }

    /** Accepts connections again. */
    public void up() {
        proxy.set(Mode.OPEN);
    }

    @Override
    public void close() {
        proxy.close();
        proxy.breakConnections();
    }
}
