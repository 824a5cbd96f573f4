package dev.tandem.rabbit;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The broker that a connection met, by what it says of itself.
 *
 * @param product {@code RabbitMQ}, {@code qpid}, …; empty if it does not say
 * @param version as it says; empty if it does not
 */
record Broker(String product, String version) {

    static Broker of(Map<String, Object> serverProperties) {
        return new Broker(text(serverProperties.get("product")), text(serverProperties.get("version")));
    }

    boolean isRabbit() {
        return product.equals("RabbitMQ");
    }

    /** Versions that can't be read count as new. */
    boolean isOlderThan(int major, int minor) {
        String[] parts = version.split("[^0-9]+", 3);
        try {
            int ownMajor = Integer.parseInt(parts[0]);
            int ownMinor = parts.length > 1 && !parts[1].isEmpty() ? Integer.parseInt(parts[1]) : 0;
            return ownMajor < major || (ownMajor == major && ownMinor < minor);
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static String text(@Nullable Object property) {
        return property == null ? "" : property.toString();
    }

    @Override
    public String toString() {
        return product.isEmpty()
                ? "a broker that does not name itself"
                : version.isEmpty() ? product : product + " " + version;
    }
}
