package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentUnhandledTypesTest {

    private final RecentUnhandledTypes types = new RecentUnhandledTypes();

    @Test
    void aTypeIsNewOnceAndIsForgottenWhenNoTaskOfItComesAnyMore() {
        assertThat(types.note("refund", 0)).isTrue();
        assertThat(types.note("refund", 30_000)).isFalse();
        assertThat(types.note("", 30_000)).isTrue();
        assertThat(types.text(89_999)).isEqualTo("tasks without a type, 'refund'");
        assertThat(types.text(90_000)).isNull();
        assertThat(types.note("refund", 90_000)).isTrue();
    }

    @Test
    void onlySomeTypesAreRemembered() {
        for (int i = 0; i < 1_000; i++) {
            types.note("t" + i, 0);
        }

        assertThat(types.text(0).split(", ")).hasSize(20);
        assertThat(types.note("t999", 0)).isFalse();
        assertThat(types.note("t1", 0)).isFalse();
    }
}
