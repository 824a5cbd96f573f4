package dev.tandem.server.handlers;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the addresses of a host. */
@FunctionalInterface
interface HostResolver {

    /** The one of the machine. */
    HostResolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

    /** @param host a name, or an address as it stands in a URL */
    List<InetAddress> resolve(String host) throws UnknownHostException;
}
