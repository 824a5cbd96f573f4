package dev.tandem.runtime.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The archive of ended tasks in PostgreSQL, under {@code tandem.archive.}.
 *
 * @param url {@code jdbc:postgresql://host:port/database}; "" for no archive
 * @param username the user; "" for the one of the address
 * @param passwordFile the file with the password; "" if none is needed, or the variable PGPASSWORD has it
 * @param schema the schema of its tables, which is created if it is missing
 * @param name the Kafka consumer group and the RabbitMQ queue by which all servers of one archive read the events
 * @param keep for how many days ends are kept
 * @param rabbitMaxBytes the most bytes of events that wait in RabbitMQ
 * @param searchTimeout how long one search may take
 */
public record ArchiveSettings(
        @DefaultValue("") String url,
        @DefaultValue("") String username,
        @DefaultValue("") String passwordFile,
        @DefaultValue("tandem_archive") String schema,
        @DefaultValue("tandem-archive") String name,
        @DefaultValue("30d") Duration keep,
        @DefaultValue("1GB") DataSize rabbitMaxBytes,
        @DefaultValue("3s") Duration searchTimeout) {

    /** Whether there is an archive. */
    public boolean enabled() {
        return !url.isEmpty();
    }

    /** Leaves out what the address says beside host and database. */
    @Override
    public String toString() {
        return "ArchiveSettings[url=" + Secrets.masked(url.replaceFirst("\\?.*", "")) + ", username=" + username
                + ", passwordFile=" + passwordFile + ", schema=" + schema + ", name=" + name + ", keep=" + keep
                + ", rabbitMaxBytes=" + rabbitMaxBytes + ", searchTimeout=" + searchTimeout + "]";
    }
}
