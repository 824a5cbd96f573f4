package dev.tandem.server.api;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** The address at which a server listens ({@code server.address}). */
public final class ListeningAddress {

    private ListeningAddress() {}

    /** Whether other machines can reach a server that listens there. @param address null for every address */
    public static boolean isOpen(@Nullable String address) {
        if (address == null || address.isBlank()) {
            return true;
        }
        try {
            return !InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return true;
        }
    }
}
