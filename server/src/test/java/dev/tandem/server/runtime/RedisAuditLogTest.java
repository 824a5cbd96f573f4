package dev.tandem.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.scheduler.AuditStream;
import dev.tandem.server.access.AuditEntry;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The form of entries of the audit log in Redis. */
class RedisAuditLogTest {

    private static AuditEntry read(String text) {
        return RedisAuditLog.read(new AuditStream.Entry("7-0", text));
    }

    @Test
    void whatIsWrittenIsRead() {
        AuditEntry entry = AuditEntry.of(
                        Instant.ofEpochMilli(7), null, "::1", "retry", "task a of queue orders", 202, "done")
                .about("orders", "a\u0007 \"b\"");

        AuditEntry read = read(RedisAuditLog.write(entry));

        assertThat(read).usingRecursiveComparison().ignoringFields("id").isEqualTo(entry);
        assertThat(read(RedisAuditLog.write(entry.published(3))).tasks()).isEqualTo(3);
    }

    @Test
    void anEntryOfAnEarlierVersionIsRead() {
        AuditEntry read = read("""
                {"at": 7, "who": "ann", "role": "operator", "token": "", "by": "token", "from": "::1", "action": "retry",
                "subject": "task a of queue orders", "status": 202, "result": "done"}
                """);

        assertThat(read.subject()).isEqualTo("task a of queue orders");
        assertThat(read.queue()).isNull();
        assertThat(read.task()).isNull();
    }
}
