package dev.tandem.local;

import java.util.Locale;

/** Which kinds of local brokers may be used. */
public enum LocalMode {
    /** Docker where an engine answers, else as {@link #PROCESS}. */
    AUTO,
    /** Containers only. */
    DOCKER,
    /** Programs on the PATH, else embedded ones: no container. */
    PROCESS,
    /** Programs on the PATH only; Kafka, which nobody has there, is embedded. */
    PATH,
    /** Those from Maven Central only. */
    EMBEDDED;

    /** The environment variable that chooses the mode. */
    public static final String VARIABLE = "TANDEM_LOCAL";

    private static final String PROPERTY = "tandem.local";

    /** The mode that the system property {@code tandem.local} or else the variable {@value #VARIABLE} asks for. */
    public static LocalMode configured() {
        String value = System.getProperty(PROPERTY, System.getenv().getOrDefault(VARIABLE, "auto"));
        try {
            return valueOf(value.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new LocalException(
                    VARIABLE + "=" + value + " is not known. Use docker, process, path, embedded or auto.", e);
        }
    }

    /** The same without Docker: for who must reach into the process or its files. */
    public LocalMode withoutDocker() {
        return this == AUTO || this == DOCKER ? PROCESS : this;
    }
}
