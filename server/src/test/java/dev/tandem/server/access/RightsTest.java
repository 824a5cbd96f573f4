package dev.tandem.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.settings.PayloadEditors;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The right to edit payloads, which the settings of the server give to roles. */
class RightsTest {

    private static Caller caller(Role role, String... queues) {
        return new Caller("somebody", role, List.of(queues), null, Caller.By.TOKEN);
    }

    private static List<Role> editors(PayloadEditors editors) {
        return Stream.of(Role.values())
                .filter(role -> new Rights(editors).may(caller(role), Permission.EDIT, "orders"))
                .toList();
    }

    @Test
    void theSettingSaysWhoEditsPayloads() {
        assertThat(editors(PayloadEditors.NOBODY)).isEmpty();
        assertThat(editors(PayloadEditors.ADMIN)).containsExactly(Role.ADMIN);
        assertThat(editors(PayloadEditors.OPERATOR)).containsExactly(Role.OPERATOR, Role.ADMIN);
    }

    @Test
    void allElseIsUpToTheRole() {
        Rights rights = new Rights(PayloadEditors.NOBODY);

        assertThat(rights.may(caller(Role.OPERATOR), Permission.OPERATE, "orders"))
                .isTrue();
        assertThat(rights.may(caller(Role.PUBLISHER, "mail"), Permission.SUBMIT, "orders"))
                .isFalse();
        assertThat(rights.remedy(Permission.OPERATE).english()).contains("operator, admin");
        assertThat(rights.remedy(Permission.EDIT).english()).contains("tandem.api.payload-editors");
    }
}
