package dev.tandem.local;

import java.util.Locale;

/** The kinds of local brokers that may be used. */
public enum LocalMode {
    /** Containers where a Docker engine answers, else as {@link #PROCESS}. */
    AUTO,
    /** Containers only. */
    DOCKER,
    /** Programs on the PATH, else embedded ones. No containers. */
    PROCESS,
    /** Programs on the PATH only. Kafka is embedded, since it is not installed on the PATH. */
    PATH,
    /** Brokers from Maven Central only. */
    EMBEDDED;

    /** The environment variable that chooses the mode. */
    public static final String VARIABLE = "TANDEM_LOCAL";

    private static final String PROPERTY = "tandem.local";

    /** Returns the mode in the system property {@code tandem.local}, else in the variable {@value #VARIABLE}. */
    public static LocalMode configured() {
        String value = System.getProperty(PROPERTY, System.getenv().getOrDefault(VARIABLE, "auto"));
        try {
            return valueOf(value.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new LocalException(
                    VARIABLE + "=" + value + " is not known. Use docker, process, path, embedded or auto.", e);
        }
    }

    /** Returns this mode without Docker, for callers that need the process or its files. */
    public LocalMode withoutDocker() {
        return this == AUTO || this == DOCKER ? PROCESS : this;
    }
}
