package dev.tandem.rabbit;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The product and version of a broker, as it reports them.
 *
 * @param product {@code RabbitMQ}, {@code qpid}, …; empty if the broker does not say
 * @param version empty if the broker does not say
 */
record BrokerProduct(String product, String version) {

    static BrokerProduct of(Map<String, Object> serverProperties) {
        return new BrokerProduct(text(serverProperties.get("product")), text(serverProperties.get("version")));
    }

    boolean isRabbit() {
        return product.equals("RabbitMQ");
    }

    /** Returns whether it is Apache Qpid Broker-J, whose product has other names in other versions. */
    boolean isQpid() {
        return product.toLowerCase(Locale.ROOT).contains("qpid");
    }

    /** Compares the version. A version that cannot be parsed counts as new. */
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
        return product.isEmpty() ? "an unnamed broker" : version.isEmpty() ? product : product + " " + version;
    }
}
