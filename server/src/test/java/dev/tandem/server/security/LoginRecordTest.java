package dev.tandem.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditKind;
import dev.tandem.server.access.AuditLog;
import dev.tandem.server.access.Caller;
import dev.tandem.server.logs.OperatorLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

/** Logins are recorded apart from changes, and failed ones apart from those, and not all of them. */
class LoginRecordTest {

    private final List<String> recorded = new ArrayList<>();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH.plusSeconds(1));
    private final MockHttpServletRequest request = new MockHttpServletRequest();
    private final LoginRecord record = new LoginRecord(
            new OperatorLog(),
            new AuditLog() {
                @Override
                public void record(AuditKind kind, AuditEntry entry) {
                    recorded.add(kind + " " + entry.who() + " " + entry.from() + " " + entry.result());
                }

                @Override
                public List<AuditEntry> page(AuditKind kind, @Nullable Instant from, @Nullable String before, int max) {
                    return List.of();
                }
            },
            now::get);

    @Test
    void loginsHaveAPartOfTheirOwn() {
        record.done("login", Caller.ANYBODY, request);
        record.refused(request, "there is no such token");

        assertThat(recorded)
                .containsExactly(
                        "LOGINS anybody 127.0.0.1 done",
                        "FAILED_LOGINS nobody 127.0.0.1 refused: there is no such token");
    }

    @Test
    void ofManyFailedLoginsSomeAreRecorded() {
        for (int i = 0; i < 100; i++) {
            record.refused(request, "wrong");
        }
        assertThat(recorded).hasSize(LoginRecord.MOST_FAILED);

        now.set(now.get().plus(LoginRecord.WINDOW));
        record.refused(request, "wrong");
        assertThat(recorded).hasSize(LoginRecord.MOST_FAILED + 1);
    }
}
